import { base64url } from "../../kernel/encoding.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { INTERNAL_ERROR, METHOD_NOT_FOUND } from "../../protocol/mcp/json-rpc.ts";
import type { RequestId, RpcRequest } from "../../protocol/mcp/message.ts";
import type { Following, SessionSignal } from "../../stores/session-channel.ts";
import { forSession } from "../across-generations/for-session.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { isSubscribing } from "../channel/subscriptions.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener, Respond } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { waitingId } from "../request-ids.ts";
import { relayServerRequest } from "../server-requests.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import { leaseConnection, type RequestLease } from "./lease.ts";
import { exchange } from "./sse-exchange.ts";

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

interface Asking {
  readonly listener: Listener;
  /** No answer is waited for any more. */
  stop(): void;
}

/**
 * Carries the agent's answers to a connection that nobody but this request knows of: they come by the channel of the agent's
 * session, and are posted with the credential of this request.
 */
function askingFor(listener: Listener, upstream: Upstream, deadline: Deadline): Asking {
  const { agent, app, shared } = upstream;
  const { sessionChannel: channel, random } = shared;
  const { session } = agent;
  if (channel === undefined || session === undefined) return { listener, stop: ignore };
  const open = new Map<RequestId, { readonly id: RequestId; readonly respond: Respond }>();
  let following: Promise<Following> | undefined;

  const receive = (signal: SessionSignal): void => {
    if (signal.kind !== "response") return;
    const asked = open.get(signal.id);
    open.delete(signal.id);
    asked?.respond(outcomeIn(signal.message));
  };

  async function ask({ id }: RpcRequest, message: JsonObject, respond: Respond): Promise<void> {
    const waiting = waitingId(app.name, base64url(random.bytes(16)));
    open.set(waiting, { id, respond });
    // Whoever answers at once is heard as well.
    following ??= channel?.follow(session?.reference.sessionHash ?? "", receive);
    try {
      await following;
      agent.relay({ ...message, id: waiting });
    } catch {
      // The upstream is told, which is whom it concerns.
      open.delete(waiting);
      respond({ error: { code: INTERNAL_ERROR, message: "The client's answer could not be heard." } });
    }
  }

  return {
    listener: {
      ...listener,
      asked: (asked, message, respond = ignore) => {
        const relay = (wrapped: JsonObject) => void ask(asked, wrapped, respond);
        relayServerRequest(asked, message, respond, { ...upstream, agent: { ...agent, relay } }, deadline);
      },
    },
    stop: () => void following?.then(({ stop }) => stop(), ignore),
  };
}

function outcomeIn({ result, error }: JsonObject): Parameters<Respond>[0] {
  return result === undefined ? { error: error as JsonObject } : { result: result as JsonObject };
}

function ignore(): void {
  // Nobody asked.
}
