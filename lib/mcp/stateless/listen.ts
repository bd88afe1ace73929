import type { CatalogChanges } from "../../gateway/catalog-changes.ts";
import { type ListeningPorts, listenAtUpstreams } from "../../gateway/proxied/listen-upstreams.ts";
import type { ToolIndex } from "../../gateway/tool-index.ts";
import type { Clock } from "../../kernel/clock.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { causeOf } from "../../logging/cause.ts";
import {
  INVALID_PARAMS,
  jsonRpcError,
  METHOD_NOT_FOUND,
  notificationMessage,
  RpcError,
  resultMessage,
} from "../../protocol/mcp/json-rpc.ts";
import { metaOf, type RequestId, type RpcRequest } from "../../protocol/mcp/message.ts";
import { SERVER_INFO, SUBSCRIPTION_ID } from "../../protocol/mcp/meta.ts";
import { isListening } from "../../upstream/channel/listen-filter.ts";
import { type AgentPorts, agentCaller, unheardAgent } from "../agent-side.ts";
import { type Caller, policyCaller } from "../caller.ts";
import { type ServerInfoPorts, serverInfo } from "../capabilities.ts";
import { closeWith, type EventStream } from "../event-stream.ts";
import { STREAM_KEEP_ALIVE } from "../exchange.ts";
import { openStream, refuseStream, type StreamLimitPorts } from "../sessions/limits.ts";

export type ListenPorts = ListeningPorts &
  AgentPorts &
  StreamLimitPorts & {
    readonly tools: ToolIndex;
    readonly clock: Clock;
    /** Aborts when the instance begins to stop. */
    readonly stopping?: AbortSignal | undefined;
    readonly catalogChanges: Pick<CatalogChanges, "count">;
  };

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
export function listen(message: RpcRequest, caller: Caller, ports: ListenPorts): Response {
  const { id, params } = message;
  if (ports.sessionChannel === undefined) throw new RpcError(METHOD_NOT_FOUND, "Streams are not held open here.");
  const problem = problemOf(params);
  if (problem !== undefined || !isJsonObject(params.notifications)) {
    caller.operations.fail(id, String(INVALID_PARAMS));
    return jsonRpcError(200, INVALID_PARAMS, `params.notifications ${problem}.`, { id });
  }
  const refusal = refuseStream(caller, ports, id);
  if (refusal !== undefined) return refusal;
  const stream = openStream({ keepAlive: STREAM_KEEP_ALIVE, limit: UNREAD_LIMIT }, caller, ports);
  const subscription = createSubscription(id, stream, ports);
  const own = ownChanges(params.notifications, ports);
  if (ports.proxies.apps.length === 0) begin(own, always, subscription, caller, ports);
  else {
    const signal = AbortSignal.any([caller.signal, stream.gone]);
    const agent = unheardAgent(message, caller, ports);
    const listener = { ...agentCaller(caller, ports), ...policyCaller(message, caller), signal, agent };
    const { relay, end } = subscription;
    void listenAtUpstreams(params.notifications, { relay, stopped: end }, listener, ports)
      .then(({ agreed, look }) => begin({ ...agreed, ...own }, look, subscription, caller, ports))
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
function ownChanges({ toolsListChanged }: JsonObject, { tools, proxies }: ListenPorts): JsonObject {
  const isOwn = tools.size > 0 || proxies.apps.length === 0;
  return isOwn && toolsListChanged === true ? { toolsListChanged } : {};
}

async function always(): Promise<boolean> {
  return true;
}

/** @param holds whether what was agreed on still does */
function begin(
  agreed: JsonObject,
  holds: () => Promise<boolean>,
  subscription: Subscription,
  caller: Caller,
  ports: ListenPorts,
): void {
  const { identity, request, isStillAuthorized } = caller;
  const { clock, stopping, catalogChanges } = ports;
  const { tell, end, gone } = subscription;
  subscription.acknowledge(agreed);
  if (!isListening(agreed) || stopping?.aborted) {
    end();
    return;
  }
  let seen = catalogChanges.count();
  const look = async (): Promise<void> => {
    const isExpired = identity !== undefined && clock.now() >= identity.expiresAt;
    if (isExpired || !(await isStillAuthorized()) || !(await holds())) return end();
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

/** The stream that answers `subscriptions/listen`: everything on it names the request (MCP 2026-07-28, Subscriptions). */
interface Subscription {
  readonly gone: AbortSignal;
  /** Comes before everything else: what was to be told before follows it. */
  acknowledge(notifications: JsonObject): void;
  tell(method: string): void;
  /** A notification of an upstream. */
  relay(message: JsonObject): void;
  end(): void;
}

function createSubscription(
  id: RequestId,
  { send, close, gone }: Pick<EventStream, "send" | "close" | "gone">,
  ports: ServerInfoPorts,
): Subscription {
  const subscription = { [SUBSCRIPTION_ID]: id };
  let early: JsonObject[] | undefined = [];
  const relay = (message: JsonObject): void => {
    const params = isJsonObject(message.params) ? message.params : {};
    const told = { ...message, params: { ...params, _meta: { ...metaOf(params), ...subscription } } };
    if (early === undefined) send(told);
    else early.push(told);
  };
  return {
    gone,
    relay,
    tell: (method) => relay(notificationMessage(method)),
    acknowledge: (notifications) => {
      const params = { notifications, _meta: subscription };
      send(notificationMessage("notifications/subscriptions/acknowledged", params));
      early?.forEach(send);
      early = undefined;
    },
    end: () => {
      const _meta = { ...subscription, [SERVER_INFO]: serverInfo(ports) };
      send(resultMessage(id, { resultType: "complete", _meta }));
      close();
    },
  };
}
