import type { TokenExchangeConfiguration } from "../../config/app-configuration.ts";
import type { Configuration } from "../../config/configuration.ts";
import { OWN_PROVIDER } from "../../config/rules/names.ts";
import { isOwnConnector } from "../../oauth/features.ts";

/** Where an app's tokens come from, and as whom the gateway asks for them. */
export type CredentialServer =
  /** This very instance, in process. */
  | { readonly kind: "own"; readonly issuer: string; readonly clientID: string }
  | { readonly kind: "connector"; readonly name: string; readonly wellKnownURL: string; readonly clientID: string };

/** Throws where the configuration names no such server, which it refuses. */
export function credentialServer(
  { idp, clientID }: TokenExchangeConfiguration,
  { connectors, oidcProvider }: Pick<Configuration, "connectors" | "oidcProvider">,
): CredentialServer {
  const connector = connectors.find(({ name }) => name === idp);
  if (connector !== undefined && !isOwnConnector(connector, oidcProvider)) {
    const { name, wellKnownURL } = connector;
    return { kind: "connector", name, wellKnownURL, clientID: connector.clientID };
  }
  const own = idp === OWN_PROVIDER ? clientID : connector?.clientID;
  if (oidcProvider === undefined || own === undefined) throw new Error(`the idp ${idp} is not configured`);
  return { kind: "own", issuer: oidcProvider.issuer, clientID: own };
}
