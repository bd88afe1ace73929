import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import { upstreamOf } from "../../stores/mcp-session-upstreams.ts";
import type { McpSessionRecord, UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { AgentSession } from "../../upstream/agent-side.ts";
import { hold } from "../../upstream/channel/hold.ts";
import { isListening } from "../../upstream/channel/listen-filter.ts";
import { hearSubscription, openSessionStream, openSubscription } from "../../upstream/channel/subscription.ts";
import { startDeadline } from "../../upstream/deadline.ts";
import { dispatch, type Listener } from "../../upstream/deliver.ts";
import { relayNotification } from "../../upstream/notifications.ts";
import { UpstreamRefusal } from "../../upstream/refusal.ts";
import { relayServerRequest } from "../../upstream/server-requests.ts";
import { ensureSession } from "../../upstream/session/ensure-session.ts";
import { isSession, type Place, whereBound } from "../../upstream/session/kept-session.ts";
import { respondingIn } from "../../upstream/session/open-session.ts";
import type { Upstream } from "../../upstream/upstream.ts";
import { visibleProxies } from "./proxies.ts";
import { atUpstream, upstreamPrincipal, whileOpen } from "./reach-upstream.ts";
import type { SessionPorts } from "./session-upstreams.ts";
import { agentBehind, type SessionCaller } from "./session-upstreams.ts";

/** The stream of an agent's session on which upstreams are heard. */
export interface AgentStream {
  readonly gone: AbortSignal;
  readonly send: (message: JsonObject) => void;
}

/**
 * Holds the streams of a session's upstreams while the agent holds its own: what they tell and ask goes out on it.
 *
 * @returns looks again which sessions at upstreams there are; never rejects
 */
export function relayUpstreams(stream: AgentStream, caller: SessionCaller, ports: SessionPorts): () => Promise<void> {
  const { request, session, identity } = caller;
  const { stores, clock } = ports;
  const held = new Map<string, { readonly what: string; readonly end: AbortController }>();
  const leave = (name: string): void => {
    held.get(name)?.end.abort();
    held.delete(name);
  };
  const follow = (app: McpProxyAppConfiguration, at: UpstreamSession, record: McpSessionRecord): void => {
    const what = JSON.stringify([at.sessionId, isSession(at) ? [] : at.subscriptions]);
    if (held.get(app.name)?.what === what) return;
    leave(app.name);
    const end = new AbortController();
    held.set(app.name, { what, end });
    const open = whileOpen(app, AbortSignal.any([stream.gone, end.signal]), ports);
    const { signal } = open;
    // What is stopped is followed again by whoever looks after it was resumed.
    const stopped = () => open.isStopped() && leave(app.name);
    if (signal.aborted) stopped();
    else signal.addEventListener("abort", stopped, { once: true });
    // A stream of the legacy transport is older than what its client said of itself.
    void holdUpstream(app, at, { ...caller, signal, session: { ...session, record } }, stream, ports).finally(
      open.done,
    );
  };
  const look = async (): Promise<void> => {
    const [record, apps] = await Promise.all([
      stores.mcpSessions.get(session.reference.sessionHash, clock.now()),
      visibleProxies(identity, ports),
    ]);
    if (stream.gone.aborted || record === undefined) return;
    // Whoever is no member any more hears nothing of the organization's servers.
    for (const name of held.keys()) if (!apps.some((app) => app.name === name)) leave(name);
    for (const app of apps.filter(({ transport }) => transport === "stream")) {
      const at = listenedAt(record, { app, principal: upstreamPrincipal(app, identity) });
      if (at === undefined) leave(app.name);
      else follow(app, at, record);
    }
  };
  return async () => {
    if (ports.proxies.apps.length === 0) return;
    await look().catch((cause: unknown) => request.logger.warn("upstreams not heard", { cause: causeOf(cause) }));
  };
}

/** Where an upstream knows no sessions, another one in its place is heard as well: only what was subscribed to was the other's. */
function listenedAt({ upstreams }: McpSessionRecord, place: Place): UpstreamSession | undefined {
  const kept = upstreamOf(upstreams, place.app.name);
  const at = whereBound(kept, place);
  if (at !== undefined || kept === undefined || isSession(kept)) return at;
  const { subscriptions: _, ...unsubscribed } = kept;
  return unsubscribed;
}

/** One upstream, until the caller's signal aborts. */
async function holdUpstream(
  app: McpProxyAppConfiguration,
  session: UpstreamSession,
  caller: SessionCaller,
  { send }: AgentStream,
  ports: SessionPorts,
): Promise<void> {
  const { logger } = caller.request;
  const agent = agentBehind(caller, ports, { relay: send, hearsRequests: true });
  let listener: Listener | undefined;
  let wasOpen = false;
  let isHeard = true;
  const acknowledged = (agreed: JsonObject): void => {
    isHeard = isListening(agreed);
  };
  const listenAt = (upstream: Upstream): void => {
    const heard: Listener = {
      notified: (message) => relayNotification(message, upstream),
      asked: (asked, message, respond) => relayServerRequest(asked, message, respond, upstream),
    };
    listener = isSession(session) ? respondingIn(session, heard, upstream) : heard;
  };
  await hold(
    {
      open: (lastEventId) =>
        atUpstream(app, agent, ports, async (upstream) => {
          if (!isHeard) return undefined;
          listenAt(upstream);
          if (!isSession(session)) return openSubscription(wantedBySession(session), upstream);
          try {
            const opened = await openSessionStream(session, upstream, lastEventId);
            wasOpen ||= opened !== undefined;
            return opened;
          } catch (cause) {
            // Who answers so from the start may have no stream at all.
            if (!wasOpen || !(cause instanceof UpstreamRefusal) || cause.status !== 404) throw cause;
            await beginAnew(session, caller.session, upstream);
            return undefined;
          }
        }),
      heard: (message) => {
        if (listener === undefined) return false;
        return isSession(session)
          ? dispatch(message, listener)
          : hearSubscription(message, { acknowledged, notified: listener.notified });
      },
      failed: (cause) => logger.debug("an upstream's stream ended", { app: app.name, cause: causeOf(cause) }),
    },
    caller.signal,
  );
}

/** The upstream has forgotten the session. Whoever holds streams looks again when another one takes its place. */
async function beginAnew(lost: UpstreamSession, live: AgentSession, upstream: Upstream): Promise<void> {
  const deadline = startDeadline(upstream.app.timeout);
  try {
    await ensureSession(live, upstream, deadline, lost);
  } finally {
    deadline.end();
  }
}

/** A session is told of every change, and of the resources that it subscribed to. */
function wantedBySession({ subscriptions = [] }: UpstreamSession): JsonObject {
  return {
    toolsListChanged: true,
    promptsListChanged: true,
    resourcesListChanged: true,
    ...(subscriptions.length > 0 && { resourceSubscriptions: subscriptions }),
  };
}
