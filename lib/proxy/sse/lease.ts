import { causeOf } from "../../logging/cause.ts";
import type { LiveSession } from "../../mcp/caller.ts";
import type { SessionChannel } from "../../mcp/sessions/channel.ts";
import type { Deadline } from "../deadline.ts";
import type { Upstream } from "../upstream.ts";
import { endWithSession, hearBetweenRequests } from "./between-requests.ts";
import type { Connection } from "./connection.ts";
import { openConnection } from "./handshake.ts";
import type { Lease } from "./held-connections.ts";
import { connectionKey } from "./session-key.ts";

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
  const { upstreamConnections: held, sessionChannel: channel, stopping } = shared.dependencies;
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
  session: LiveSession,
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
