import type { Gateway } from "../../gateway/gateway.ts";
import { listenAtUpstreams } from "../../gateway/proxied/listen-upstreams.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import { isListening } from "../../proxy/channel/listened.ts";
import { unheardAgent } from "../agent-side.ts";
import { type Caller, policyCaller } from "../caller.ts";
import { closeWith } from "../event-stream.ts";
import { STREAM_KEEP_ALIVE } from "../exchange.ts";
import { INVALID_PARAMS, jsonRpcError, METHOD_NOT_FOUND, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { openStream, refuseStream } from "../sessions/stream-limit.ts";
import { createSubscription, type Subscription } from "./subscription.ts";

export const LISTEN = "subscriptions/listen";

/** Bytes that wait for a client: nothing large goes out unasked. */
const UNREAD_LIMIT = 1024 * 1024;

/**
 * Answers `subscriptions/listen` with a stream of what changes (MCP 2026-07-28, Subscriptions): lists of tools here, and what
 * upstreams tell. A client that asks for nothing of it is told so, and the stream ends. A token that expires or is revoked ends
 * it as well, and so do a gateway that is turned off or asks for tokens otherwise and an instance that stops.
 *
 * @throws RpcError where no stream can be held open
 */
export function listen(message: RpcRequest, caller: Caller, gateway: Gateway): Response {
  const { id, params } = message;
  if (gateway.dependencies.sessionChannel === undefined)
    throw new RpcError(METHOD_NOT_FOUND, "Streams are not held open here.");
  const problem = problemOf(params);
  if (problem !== undefined || !isJsonObject(params.notifications)) {
    caller.operations.fail(id, String(INVALID_PARAMS));
    return jsonRpcError(200, INVALID_PARAMS, `params.notifications ${problem}.`, { id });
  }
  const refusal = refuseStream(caller, gateway, id);
  if (refusal !== undefined) return refusal;
  const stream = openStream({ keepAlive: STREAM_KEEP_ALIVE, limit: UNREAD_LIMIT }, caller, gateway);
  const subscription = createSubscription(id, stream, gateway);
  const own = ownChanges(params.notifications, gateway);
  if (gateway.proxies.apps.length === 0) begin(own, subscription, caller, gateway);
  else {
    const signal = AbortSignal.any([caller.signal, stream.gone]);
    const agent = unheardAgent(message, caller, gateway);
    const listener = { ...caller, ...policyCaller(message, caller), signal, agent };
    void listenAtUpstreams(params.notifications, subscription.relay, listener, gateway)
      .then((agreed) => begin({ ...agreed, ...own }, subscription, caller, gateway))
      .catch((cause: unknown) => {
        caller.request.logger.error("nothing is listened for", { cause: causeOf(cause) });
        subscription.end();
      });
  }
  closeWith(caller.signal, stream);
  return stream.response;
}

/** Resources, each of which is decided on, and subscribed to where an upstream has sessions; and tasks: one message names no more. */
const MOST_NAMED = 200;

function problemOf({ notifications }: JsonObject): string | undefined {
  if (!isJsonObject(notifications)) return "must say what to listen for";
  const long = ["resourceSubscriptions", "taskIds"].find((member) => {
    const named = notifications[member];
    return Array.isArray(named) && named.length > MOST_NAMED;
  });
  return long === undefined ? undefined : `may have ${MOST_NAMED} ${long} at most`;
}

/** What changes without any upstream. */
function ownChanges({ toolsListChanged }: JsonObject, { tools, proxies }: Gateway): JsonObject {
  const isOwn = tools.size > 0 || proxies.apps.length === 0;
  return isOwn && toolsListChanged === true ? { toolsListChanged } : {};
}

function begin(agreed: JsonObject, subscription: Subscription, caller: Caller, gateway: Gateway): void {
  const { identity, request, isStillAuthorized } = caller;
  const { dependencies, catalogChanges } = gateway;
  const { stopping } = dependencies;
  const { tell, end, gone } = subscription;
  subscription.acknowledge(agreed);
  if (!isListening(agreed) || stopping?.aborted) {
    end();
    return;
  }
  let seen = catalogChanges.count();
  const look = async (): Promise<void> => {
    const isExpired = identity !== undefined && dependencies.clock.now() >= identity.expiresAt;
    if (isExpired || !(await isStillAuthorized())) return end();
    if (seen === catalogChanges.count()) return;
    seen = catalogChanges.count();
    if (agreed.toolsListChanged === true) tell("notifications/tools/list_changed");
  };
  // What cannot be looked up now is looked up the next time.
  const tolerate = (cause: unknown) => request.logger.warn("subscription not looked up", { cause: causeOf(cause) });
  repeat(() => void look().catch(tolerate), gone);
  stopping?.addEventListener("abort", end, { once: true, signal: gone });
}

function repeat(look: () => void, gone: AbortSignal): void {
  if (gone.aborted) return;
  const looking = setInterval(look, STREAM_KEEP_ALIVE);
  gone.addEventListener("abort", () => clearInterval(looking), { once: true });
}
