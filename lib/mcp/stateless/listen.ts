import type { Gateway } from "../../gateway/gateway.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { causeOf } from "../../logging/cause.ts";
import type { Caller } from "../caller.ts";
import { serverInfo } from "../capabilities.ts";
import { closeWith, type EventStream } from "../event-stream.ts";
import { STREAM_KEEP_ALIVE } from "../exchange.ts";
import {
  INVALID_PARAMS,
  jsonRpcError,
  METHOD_NOT_FOUND,
  notificationMessage,
  RpcError,
  resultMessage,
} from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { SERVER_INFO, SUBSCRIPTION_ID } from "../meta.ts";
import { openStream, refuseStream } from "../sessions/stream-limit.ts";

export const LISTEN = "subscriptions/listen";

/** Bytes that wait for a client: nothing large goes out unasked. */
const UNREAD_LIMIT = 1024 * 1024;

/**
 * Answers `subscriptions/listen` with a stream of what changes (MCP 2026-07-28, Subscriptions). Lists of tools are all that
 * changes here; a client that asks for nothing of it is told so, and the stream ends. A token that expires or is revoked ends it as well,
 * and so does an instance that stops.
 *
 * @throws RpcError where no stream can be held open
 */
export function listen({ id, params }: RpcRequest, caller: Caller, gateway: Gateway): Response {
  const { identity, signal, operations, request, isStillAuthorized } = caller;
  const { dependencies, catalogChanges } = gateway;
  if (dependencies.sessionChannel === undefined)
    throw new RpcError(METHOD_NOT_FOUND, "Streams are not held open here.");
  if (!isJsonObject(params.notifications)) {
    operations.fail(id, String(INVALID_PARAMS));
    return jsonRpcError(200, INVALID_PARAMS, "params.notifications must say what to listen for.", { id });
  }
  const refusal = refuseStream(caller, gateway, id);
  if (refusal !== undefined) return refusal;
  const honored = params.notifications.toolsListChanged === true ? { toolsListChanged: true } : {};
  const subscription = { [SUBSCRIPTION_ID]: id };
  const stream = openStream({ keepAlive: STREAM_KEEP_ALIVE, limit: UNREAD_LIMIT }, caller, gateway);
  const tell = (method: string, told: JsonObject = {}) =>
    stream.send(notificationMessage(method, { ...told, _meta: subscription }));
  const end = () => {
    const _meta = { ...subscription, [SERVER_INFO]: serverInfo(gateway) };
    stream.send(resultMessage(id, { resultType: "complete", _meta }));
    stream.close();
  };
  tell("notifications/subscriptions/acknowledged", { notifications: honored });
  const { stopping } = dependencies;
  if (honored.toolsListChanged === undefined || stopping?.aborted) {
    end();
    return stream.response;
  }
  let seen = catalogChanges.count();
  const look = async (): Promise<void> => {
    const isExpired = identity !== undefined && dependencies.clock.now() >= identity.expiresAt;
    if (isExpired || !(await isStillAuthorized())) return end();
    if (seen === catalogChanges.count()) return;
    seen = catalogChanges.count();
    tell("notifications/tools/list_changed");
  };
  // What cannot be looked up now is looked up the next time.
  const tolerate = (cause: unknown) => request.logger.warn("subscription not looked up", { cause: causeOf(cause) });
  repeat(() => void look().catch(tolerate), stream);
  stopping?.addEventListener("abort", end, { once: true, signal: stream.gone });
  closeWith(signal, stream);
  return stream.response;
}

function repeat(look: () => void, { gone }: EventStream): void {
  const looking = setInterval(look, STREAM_KEEP_ALIVE);
  gone.addEventListener("abort", () => clearInterval(looking), { once: true });
}
