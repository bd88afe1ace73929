import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { JsonObject } from "../../json.ts";
import { postOnConnection } from "../../proxy/sse/post-on-connection.ts";
import type { Gateway } from "../gateway.ts";
import { agentBehind } from "./agent-behind.ts";
import { atUpstream } from "./at-upstream.ts";
import type { SessionCaller } from "./session-upstreams.ts";
import { visibleProxies } from "./visible-proxies.ts";

export interface ToConnections {
  readonly message: JsonObject;
  readonly isMeant?: (app: McpProxyAppConfiguration) => boolean;
  /** Why it did not reach one of them. */
  readonly failed: (app: string, cause: unknown) => void;
}

/**
 * Posts a message to all upstreams of the legacy transport that the caller's session has a connection to, side by side. Of the
 * others nobody waits for it. One that fails costs itself alone.
 */
export async function atConnections(
  { message, isMeant = () => true, failed }: ToConnections,
  caller: SessionCaller,
  gateway: Gateway,
): Promise<void> {
  const apps = (await visibleProxies(caller.identity, gateway)).filter(
    (app) => app.transport === "sse" && isMeant(app),
  );
  await Promise.all(
    apps.map(async (app) => {
      const agent = agentBehind({ ...caller, signal: AbortSignal.timeout(app.timeout) }, gateway);
      try {
        await atUpstream(app, agent, gateway, (upstream) => postOnConnection(message, upstream));
      } catch (cause) {
        failed(app.name, cause);
      }
    }),
  );
}
