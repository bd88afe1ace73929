import type { AuthorizationServerPorts } from "../authorization-server/ports.ts";
import type { Configuration, McpAuthorizationServer } from "../config/configuration.ts";
import type { WebPolicyConfiguration } from "../config/web-app-configuration.ts";
import type { Identity } from "../gateway/identity.ts";
import { type AuthenticatingPorts, authenticate } from "../gateway/inbound/authenticate.ts";
import type { ServerPorts } from "../gateway/inbound/authorization-server.ts";
import { createTrustedServers, type TrustedServer } from "../gateway/inbound/trusted-servers.ts";
import { stopOfIdentity } from "../gateway/stopped.ts";
import { bearerCredentials } from "../protocol/http/bearer.ts";
import type { InstanceStops } from "../stops/instance-stops.ts";
import type { RequestContext } from "../telemetry/request-context.ts";

/** What a bearer token says, or why it is none that counts. */
export type KnownProgram =
  | { readonly kind: "program"; readonly identity: Identity }
  /** No token was sent. */
  | { readonly kind: "none" }
  | { readonly kind: "refused" }
  /** The server that could tell cannot be asked for now. */
  | { readonly kind: "unknown" };

export interface ProgramPorts extends Omit<AuthenticatingPorts, "servers"> {
  readonly instanceStops: Pick<InstanceStops, "current">;
  /** Of the tokens that this instance issues; undefined where it issues none. */
  readonly ownIssuer: string | undefined;
}

/** Checks a token as the MCP endpoint does, against the audiences of a policy. */
export async function knownProgram(
  { headers }: Pick<Request, "headers">,
  servers: readonly TrustedServer[],
  ports: ProgramPorts,
  context: RequestContext,
): Promise<KnownProgram> {
  const presented = bearerCredentials(headers.get("authorization"));
  if (presented.kind === "none") return presented;
  if (presented.kind === "malformed") return { kind: "refused" };
  const result = await authenticate(presented.token, { ...ports, servers }, context);
  const { logger } = context;
  if (result.outcome !== "accepted") {
    logger.info("access token not accepted", { outcome: result.outcome, reason: result.reason });
    return { kind: result.outcome === "refused" ? "refused" : "unknown" };
  }
  const stop = stopOfIdentity(await ports.instanceStops.current(context.waitUntil), result.identity, ports.ownIssuer);
  if (stop !== undefined) {
    logger.info("access token not accepted", { outcome: "refused", reason: "stopped", stopId: stop.stopId });
    return { kind: "refused" };
  }
  return { kind: "program", identity: result.identity };
}

type OwnTokenPorts = Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration" | "keyRing" | "clientIds">;

/** How often what is known of our own server would be read again: its tokens are looked up in process, so never. */
const OWN_SERVER = { refreshInterval: 3_600_000, method: "auto", clockSkew: 0 } as const;

/**
 * The servers whose tokens a policy takes: those of the gateway, each with the audiences of the policy; without any, this
 * instance itself. Empty where the policy is not for programs.
 *
 * @param known those that other policies or the gateway have: what was learnt of a server is shared
 */
export function programServers(
  policy: Pick<WebPolicyConfiguration, "bearer">,
  configuration: Pick<Configuration, "mcpProvider" | "oidcProvider">,
  ports: ServerPorts & OwnTokenPorts,
  known: readonly TrustedServer[],
): readonly TrustedServer[] {
  const servers = programServerSettings(policy, configuration);
  return createTrustedServers(servers, configuration.oidcProvider, ports, known);
}

/** Those servers as the configuration would have them. */
export function programServerSettings(
  { bearer }: Pick<WebPolicyConfiguration, "bearer">,
  { mcpProvider, oidcProvider }: Pick<Configuration, "mcpProvider" | "oidcProvider">,
): readonly McpAuthorizationServer[] {
  if (bearer === undefined) return [];
  const { audiences: expectedAudiences } = bearer;
  const configured = mcpProvider?.oauth.servers ?? [];
  const own: readonly McpAuthorizationServer[] =
    oidcProvider === undefined
      ? []
      : [{ ...OWN_SERVER, wellKnownEndpoint: oidcProvider.endpoints.wellKnown, expectedAudiences }];
  return configured.length === 0 ? own : configured.map((server) => ({ ...server, expectedAudiences }));
}
