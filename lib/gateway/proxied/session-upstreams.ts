import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { Caller, LiveSession } from "../../mcp/caller.ts";
import { sessionAt } from "../../proxy/session/bound.ts";
import { isSession } from "../../proxy/session/kept.ts";
import type { Upstream } from "../../proxy/upstream.ts";
import type { UpstreamSessions } from "../../stores/mcp-session-upstreams.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Gateway } from "../gateway.ts";
import { agentBehind } from "./agent-behind.ts";
import { atUpstream } from "./at-upstream.ts";
import { upstreamPrincipal } from "./upstream-principal.ts";
import { visibleProxies } from "./visible-proxies.ts";

/** A caller in its session. */
export type SessionCaller = Caller & { readonly session: LiveSession };

/** What is done at the upstreams of a session. */
export interface SessionWork {
  /** @param signal aborts when the app's time is over, also after the agent has left */
  readonly at: (session: UpstreamSession, upstream: Upstream, signal: AbortSignal) => Promise<void>;
  /** Why it did not come about at one of them. */
  readonly failed: (app: string, cause: unknown) => void;
}

/**
 * Does something at all upstreams that the caller's session has a session at, side by side. One that fails costs itself alone.
 *
 * @param upstreams sessions by app, as the record of the caller's has them
 */
export async function atSessions(
  upstreams: UpstreamSessions | undefined,
  { at, failed }: SessionWork,
  caller: Caller,
  gateway: Gateway,
  isMeant: (app: McpProxyAppConfiguration) => boolean = () => true,
): Promise<void> {
  if (upstreams === undefined) return;
  const apps = (await visibleProxies(caller.identity, gateway)).filter(isMeant);
  await Promise.all(
    apps.map(async (app) => {
      const session = sessionAt(upstreams, { app, principal: upstreamPrincipal(app, caller.identity) });
      if (session === undefined || !isSession(session)) return;
      const signal = AbortSignal.timeout(app.timeout);
      const agent = agentBehind({ ...caller, signal }, gateway);
      try {
        await atUpstream(app, agent, gateway, (upstream) => at(session, upstream, signal));
      } catch (cause) {
        failed(app.name, cause);
      }
    }),
  );
}
