import { METHOD_NOT_FOUND } from "../../mcp/json-rpc.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { forSession } from "../bridge/for-session.ts";
import { isSubscribing } from "../channel/subscriptions.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import type { Upstream, UpstreamRequest } from "../upstream.ts";
import { askingFor } from "./asking.ts";
import { exchange } from "./exchange.ts";
import { leaseConnection, type RequestLease } from "./lease.ts";

/**
 * A request at an upstream that speaks the legacy transport (MCP 2024-11-05, HTTP with SSE; D120). A connection that was held and
 * that the upstream has forgotten is opened anew, once: such a request was not carried out.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestOverSSE(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const sent = forSession(request, upstream.agent);
  const lease = await leaseConnection(upstream, deadline);
  try {
    return await exchangeOn(lease, sent, upstream, listener, deadline);
  } catch (cause) {
    if (!lease.isUsed || !isForgotten(cause)) throw cause;
    lease.connection.close();
  } finally {
    lease.end();
  }
  const next = await leaseConnection(upstream, deadline);
  try {
    return await exchangeOn(next, sent, upstream, listener, deadline);
  } finally {
    next.end();
  }
}

async function exchangeOn(
  { connection, isHeld }: RequestLease,
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  if (isHeld) return exchange(connection, request, upstream, listener, deadline);
  if (isSubscribing(request)) throw new UpstreamRefusal({ status: 200, error: NOT_SERVED });
  const asking = askingFor(listener, upstream, deadline);
  try {
    return await exchange(connection, request, upstream, asking.listener, deadline);
  } finally {
    asking.stop();
  }
}

/** A subscription would end with the connection, which ends with the request. */
const NOT_SERVED = { code: METHOD_NOT_FOUND, message: "The server tells nothing of its resources here." };

/** What servers of the field say to a session that they do not have; nothing tells it from other refusals but that it refuses. */
const FORGOTTEN: ReadonlySet<number> = new Set([400, 404, 410]);

function isForgotten(cause: unknown): boolean {
  return cause instanceof UpstreamRefusal && FORGOTTEN.has(cause.status);
}
