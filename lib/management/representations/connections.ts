import type { Configuration } from "../../config/configuration.ts";
import { isRefused } from "../../connections/refresh.ts";
import type { ConnectionFacts } from "../../stores/connections.ts";
import type { Connection } from "../schemas/connections.ts";

/** A connection as the management API and the command line show it. */
export function representConnection(
  { oauthConnectors }: Pick<Configuration, "oauthConnectors">,
  facts: ConnectionFacts,
): Connection {
  const { connectionId, person, app, agent, connector, account, scopes, connectedAt, lastUsedAt } = facts;
  const state = isRefused(facts) ? "reconnect" : facts.state;
  const endpoints = oauthConnectors.find(({ name }) => name === connector)?.endpoints;
  return {
    ...{ connectionId, person, app, connector, scopes },
    ...(agent !== "" && { agent }),
    ...(account !== undefined && { account }),
    state: state === "reconnect" || state === "uncertain" ? state : "connected",
    ...(endpoints?.kind !== "discover" && { revokesAtProvider: endpoints?.revocationURL !== undefined }),
    connectedAt: new Date(connectedAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt).toISOString(),
  };
}
