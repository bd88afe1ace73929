import type { JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { SessionChannel } from "../../stores/session-channel.ts";
import type { AgentSession } from "../agent-side.ts";
import type { Deadline } from "../deadline.ts";
import { relayNotification } from "../notifications.ts";
import { relayServerRequest } from "../server-requests.ts";
import type { Upstream } from "../upstream.ts";
import type { Connection } from "./connection.ts";
import { openConnection } from "./handshake.ts";
import type { Lease } from "./held-connections.ts";
import { respondingOn } from "./sse-exchange.ts";

export interface RequestLease extends Lease {
  /** Whether other requests of the session, also later ones, have the connection too. */
  readonly isHeld: boolean;
}

/**
 * The connection for a request: that of the agent's session, where connections are held; else one for it alone.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function leaseConnection(upstream: Upstream, deadline: Deadline): Promise<RequestLease> {
  const { agent, shared } = upstream;
  const { upstreamConnections: held, sessionChannel: channel, stopping } = shared;
  const { session } = agent;
  if (held === undefined || channel === undefined || session === undefined)
    return leaseAlone(await openConnection(upstream, deadline), upstream);
  const key = connectionKey(session, upstream);
  const asHeld = (lease: Lease): RequestLease => {
    hearBetweenRequests(lease.connection, session, upstream, channel);
    return { ...lease, isHeld: true };
  };
  const known = held.use(key);
  if (known !== undefined) return asHeld(known);
  const connection = await openConnection(upstream, deadline);
  if (!(await endsWith(session, connection, upstream, channel))) return leaseAlone(connection, upstream);
  const lease = held.keep(key, connection, stopping);
  if (lease === undefined) return leaseAlone(connection, upstream);
  // Another request was faster.
  if (lease.connection !== connection) connection.close();
  return asHeld(lease);
}

/** Whether the connection will end with the session: otherwise it is not to be kept. */
async function endsWith(
  session: AgentSession,
  connection: Connection,
  { app, request }: Upstream,
  channel: SessionChannel,
): Promise<boolean> {
  try {
    await endWithSession(connection, session, channel);
    return true;
  } catch (cause) {
    request.logger.warn("a connection is not kept", { app: app.name, cause: causeOf(cause) });
    return false;
  }
}

function leaseAlone(connection: Connection, { request }: Upstream): RequestLease {
  return { connection, isUsed: false, isHeld: false, end: () => request.waitUntil(connection.leave()) };
}

/** Ends a connection with the agent's session that it belongs to. Rejects when the session cannot be followed. */
async function endWithSession(
  { closed, close }: Connection,
  { reference }: AgentSession,
  channel: SessionChannel,
): Promise<void> {
  const following = await channel.follow(reference.sessionHash, ({ kind }) => {
    if (kind === "ended") close();
  });
  // Its end may have been missed.
  void following.lost.then(close);
  if (closed.aborted) following.stop();
  else closed.addEventListener("abort", following.stop, { once: true });
}

/**
 * What the upstream says while no request of the session runs goes out on the session's stream, if its agent holds one.
 *
 * @param upstream as the last request reached it
 */
function hearBetweenRequests(
  connection: Connection,
  { reference }: AgentSession,
  upstream: Upstream,
  channel: SessionChannel,
): void {
  const agent: Upstream["agent"] = {
    ...upstream.agent,
    params: () => ({}),
    hearsRequests: true,
    relay: (message) => void channel.publish(reference.sessionHash, { kind: "message", message }),
    openAnswer: () => {
      throw new Error("nothing is answered between requests");
    },
  };
  const between: Upstream = { ...upstream, agent, signal: connection.closed };
  const listener = {
    notified: (message) => relayNotification(message, between),
    asked: (asked, message, respond) => relayServerRequest(asked, message, respond, between),
  } satisfies Parameters<typeof respondingOn>[1];
  connection.hearOthers(respondingOn(connection, listener, between));
}

/** What a connection is kept under: never does another session, another principal or another server come to it. */
function connectionKey({ reference }: AgentSession, { app, principal }: Upstream): string {
  return JSON.stringify([app.name, app.url, principal, reference.sessionHash]);
}

/**
 * Posts what the agent's session has to tell an upstream: an answer to a request of the upstream, under the upstream's own id, or
 * a notification. Resolves to false where no connection of the session is open here, and the upstream waits for nothing.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function postOnConnection(message: JsonObject, upstream: Upstream): Promise<boolean> {
  const { agent, shared } = upstream;
  if (agent.session === undefined) return false;
  const lease = shared.upstreamConnections?.use(connectionKey(agent.session, upstream));
  if (lease === undefined) return false;
  try {
    await lease.connection.tell(message, upstream);
    return true;
  } finally {
    lease.end();
  }
}
