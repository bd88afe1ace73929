import type { Gateway } from "../../gateway/gateway.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { serverInfo } from "../capabilities.ts";
import type { EventStream } from "../event-stream.ts";
import { notificationMessage, resultMessage } from "../json-rpc.ts";
import { metaOf, type RequestId } from "../message.ts";
import { SERVER_INFO, SUBSCRIPTION_ID } from "../meta.ts";

/** The stream that answers `subscriptions/listen`: everything on it names the request (MCP 2026-07-28, Subscriptions). */
export interface Subscription {
  readonly gone: AbortSignal;
  /** Comes before everything else: what was to be told before follows it. */
  acknowledge(notifications: JsonObject): void;
  tell(method: string): void;
  /** A notification of an upstream. */
  relay(message: JsonObject): void;
  end(): void;
}

export function createSubscription(
  id: RequestId,
  { send, close, gone }: Pick<EventStream, "send" | "close" | "gone">,
  gateway: Pick<Gateway, "mcpProvider">,
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
      const _meta = { ...subscription, [SERVER_INFO]: serverInfo(gateway) };
      send(resultMessage(id, { resultType: "complete", _meta }));
      close();
    },
  };
}
