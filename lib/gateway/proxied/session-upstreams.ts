import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { Clock } from "../../kernel/clock.ts";
import { uuid } from "../../kernel/ids.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSessions } from "../../stores/mcp-session-upstreams.ts";
import type { McpLogLevel, McpSessions, UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession, AgentSide } from "../../upstream/agent-side.ts";
import { inTime } from "../../upstream/catalog/in-time.ts";
import { startDeadline } from "../../upstream/deadline.ts";
import { endSession } from "../../upstream/session/end-session.ts";
import { isSession, sessionAt } from "../../upstream/session/kept-session.ts";
import { setLevel } from "../../upstream/session/session-settings.ts";
import { postOnConnection } from "../../upstream/sse/lease.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import type { ProxyPorts } from "./ask.ts";
import { visibleProxies } from "./proxies.ts";
import { atUpstream, type UpstreamCaller, upstreamPrincipal } from "./reach-upstream.ts";

/** What it takes to look up an agent's session, and to ask the upstreams that it has sessions at. */
export type SessionPorts = ProxyPorts & {
  readonly stores: { readonly mcpSessions: Pick<McpSessions, "get"> };
  readonly clock: Clock;
};

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
  caller: AgentCaller,
  ports: ProxyPorts,
  isMeant: (app: McpProxyAppConfiguration) => boolean = () => true,
): Promise<void> {
  if (upstreams === undefined) return;
  const apps = (await visibleProxies(caller.identity, ports)).filter(isMeant);
  await Promise.all(
    apps.map(async (app) => {
      const session = sessionAt(upstreams, { app, principal: upstreamPrincipal(app, caller.identity) });
      if (session === undefined || !isSession(session)) return;
      const signal = AbortSignal.timeout(app.timeout);
      const agent = agentBehind({ ...caller, signal }, ports);
      try {
        await atUpstream(app, agent, ports, (upstream) => at(session, upstream, signal));
      } catch (cause) {
        failed(app.name, cause);
      }
    }),
  );
}

interface ToConnections {
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
  ports: ProxyPorts,
): Promise<void> {
  const apps = (await visibleProxies(caller.identity, ports)).filter((app) => app.transport === "sse" && isMeant(app));
  await Promise.all(
    apps.map(async (app) => {
      const agent = agentBehind({ ...caller, signal: AbortSignal.timeout(app.timeout) }, ports);
      try {
        await atUpstream(app, agent, ports, (upstream) => postOnConnection(message, upstream));
      } catch (cause) {
        failed(app.name, cause);
      }
    }),
  );
}

/** Whoever holds a session or a stream, where no request of its own is forwarded. */
export interface AgentCaller extends Omit<UpstreamCaller, "agent"> {
  readonly session?: AgentSession | undefined;
  /** The agent as upstreams get to know it by a session of its own as it is then; undefined: it has none. It hears nothing. */
  readonly agentIn: (session: AgentSession | undefined) => AgentSide;
}

/** The same in its session. */
export type SessionCaller = AgentCaller & { readonly session: AgentSession };

/** The agent of a session or a stream. @param how what differs: by default it hears nothing */
export function agentBehind(
  caller: AgentCaller,
  { random }: { readonly random: Random },
  how: Partial<Pick<AgentSide, "relay" | "hearsRequests" | "logLevel">> = {},
): UpstreamCaller {
  const { session, agentIn } = caller;
  return { ...caller, agent: { ...agentIn(session), id: uuid(random), ...how } };
}

/** How long the agent waits for its upstreams, milliseconds. */
const PATIENCE = 3_000;

/**
 * Tells the upstreams of a session which log messages its agent wants from now on; sessions that begin later are told then.
 * Never rejects for an upstream's sake: log messages are no reason to fail.
 */
export async function setUpstreamLevels(level: McpLogLevel, caller: SessionCaller, ports: SessionPorts): Promise<void> {
  const { request, session } = caller;
  const { stores, clock } = ports;
  // Read behind the level, so that a session that begins meanwhile either is in it or has read the level itself.
  const record = await stores.mcpSessions.get(session.reference.sessionHash, clock.now());
  const failed = (app: string, cause: unknown) =>
    request.logger.debug("an upstream's log level was not set", { app, cause: causeOf(cause) });
  const work = atSessions(
    record?.upstreams,
    {
      at: async (at, upstream) => {
        const deadline = startDeadline(upstream.app.timeout);
        const agent = { ...upstream.agent, logLevel: level };
        await setLevel(at, { ...upstream, agent }, deadline).finally(deadline.end);
      },
      failed,
    },
    caller,
    ports,
  );
  // Nobody waits for what is answered to it on a connection.
  const message = { id: "level", method: "logging/setLevel", params: { level } };
  const told = Promise.all([work, atConnections({ message, failed }, caller, ports)]).then(() => undefined);
  request.waitUntil(told);
  // Whoever is late is told all the same.
  await inTime(PATIENCE, told).catch(() => undefined);
}

/** The sessions at upstreams that a session has now, to be ended with it: what ends them. It rejects for no upstream's sake. */
export async function upstreamsOf(
  { reference }: AgentSession,
  caller: AgentCaller,
  ports: SessionPorts,
): Promise<() => Promise<void>> {
  if (ports.proxies.apps.length === 0) return async () => undefined;
  const { stores, clock } = ports;
  const record = await stores.mcpSessions.get(reference.sessionHash, clock.now());
  const failed = (app: string, cause: unknown) =>
    caller.request.logger.debug("upstream session not ended", { app, cause: causeOf(cause) });
  return () => atSessions(record?.upstreams, { at: endSession, failed }, caller, ports);
}
