import type { Configuration, ConfigurationSnapshot } from "../config/configuration.ts";
import type { UserTokenConfiguration } from "../config/user-token-configuration.ts";
import { type ConnectRequest, connectionKeyOf } from "../connections/connect-request.ts";
import type { PersonConnections } from "../connections/connections.ts";
import { authorizationURL, redeem } from "../connections/provider.ts";
import { ProviderError, type ProviderPorts } from "../connections/provider-request.ts";
import { ProviderNotResolved, type ProviderResolver } from "../connections/resolved-provider.ts";
import type { Stores } from "../stores/stores.ts";
import { type AccountConnections, AccountProviderError } from "./connect-context.ts";
import { requireConnector } from "./steps.ts";

export interface AccountConnectionsPorts extends ProviderPorts {
  readonly configuration: () => ConfigurationSnapshot;
  readonly stores: { readonly connections: Pick<Stores["connections"], "connection"> };
}

/** Connects what the browser's walk asks for with the providers of the configuration, and with people's connections. */
export function createAccountConnections(
  { connections, providers }: { readonly connections: PersonConnections; readonly providers: ProviderResolver },
  ports: AccountConnectionsPorts,
): AccountConnections {
  return {
    ...{ complete: connections.complete, hold: connections.hold, held: connections.held },
    ...{ discardHeld: connections.discardHeld, discard: connections.discard, isStopped: connections.isStopped },
    provider: async (request) => {
      const { configuration } = ports.configuration();
      const connector = requireConnector(request.connector, configuration);
      const resolved = await orUnavailable(() => providers.resolve(connector, outboundOf(request, configuration)));
      const { scopes } = request;
      return {
        resolved,
        authorizationURL: (sent) => authorizationURL(connector, resolved, { ...sent, scopes }),
        redeem: async (answer) => {
          try {
            return await redeem(connector, resolved, { ...answer, scopes }, ports);
          } catch (error) {
            if (!(error instanceof ProviderError)) throw error;
            if (error.code === "invalid_client") await providers.clientRefused(connector, resolved.clientID);
            throw providerError(error);
          }
        },
      };
    },
    formerAccount: async (request) => {
      const record = await ports.stores.connections.connection(connectionKeyOf(request));
      // Accounts of another provider have names of their own.
      return record?.state === "deleted" || record?.connector !== request.connector ? undefined : record.account;
    },
  };
}

/** What the configuration says of the app's tokens now; an app that is gone asks for nothing particular. */
function outboundOf({ app }: ConnectRequest, { apps }: Configuration): Pick<UserTokenConfiguration, "resource"> {
  const found = apps.find(({ name }) => name === app);
  const outbound = found !== undefined && "outbound" in found ? found.outbound : undefined;
  return outbound?.type === "userToken" ? outbound : {};
}

async function orUnavailable<T>(resolve: () => Promise<T>): Promise<T> {
  try {
    return await resolve();
  } catch (cause) {
    if (!(cause instanceof ProviderNotResolved)) throw cause;
    throw new AccountProviderError("unavailable", cause.message, { cause });
  }
}

/** A code that was sent and not answered is spent, as far as anybody knows: the person goes there again. */
function providerError(cause: ProviderError): AccountProviderError {
  if (cause.failure === "too_long") return new AccountProviderError("too_long", cause.message, { cause });
  const isRefused = cause.failure === "invalid_grant" || cause.failure === "refused";
  return new AccountProviderError(isRefused ? "refused" : "unavailable", cause.message, { cause });
}
