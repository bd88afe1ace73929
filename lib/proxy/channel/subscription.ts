import { isJsonObject, type JsonObject } from "../../json.ts";
import { metaOf } from "../../mcp/message.ts";
import { SUBSCRIPTION_ID } from "../../mcp/meta.ts";
import { hear } from "../hear.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { withEnvelope } from "../stateless/envelope.ts";
import { statelessHeaders } from "../stateless/headers.ts";
import { type Upstream, wireTarget } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { brokenOff } from "../wire/upstream-failure.ts";
import type { UpstreamMessage } from "../wire/upstream-message.ts";
import type { OpenedStream } from "./hold.ts";

const LISTEN = "subscriptions/listen";
const ACKNOWLEDGED = "notifications/subscriptions/acknowledged";

/**
 * Begins to listen at an upstream of the stateless generation (MCP 2026-07-28, Subscriptions).
 *
 * @param notifications what to listen for, by the upstream's own URIs
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function openSubscription(notifications: JsonObject, upstream: Upstream): Promise<OpenedStream> {
  const params = withEnvelope({ notifications }, upstream.agent);
  const target = wireTarget(upstream, statelessHeaders({ method: LISTEN, params }), upstream.signal);
  const text = JSON.stringify({ jsonrpc: "2.0", id: LISTEN, method: LISTEN, params });
  const answer = await postMessage(text, target);
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  if (answer.kind === "accepted") throw brokenOff();
  return { messages: answer.messages };
}

export interface SubscriptionListener {
  readonly acknowledged: (notifications: JsonObject) => void;
  /** Without the id of our subscription. */
  readonly notified: (message: JsonObject) => void;
}

/** Whether it says anything but what was agreed to. @throws UpstreamRefusal where the answer is an error */
export function hearSubscription(
  message: Extract<UpstreamMessage, { kind: "whole" }>,
  { acknowledged, notified }: SubscriptionListener,
): boolean {
  let isNews = false;
  const isTold = hear(message, {
    notified: (told) => {
      const params = isJsonObject(told.params) ? told.params : {};
      isNews = told.method !== ACKNOWLEDGED;
      if (isNews) notified(withoutSubscription(told, params));
      else acknowledged(isJsonObject(params.notifications) ? params.notifications : {});
    },
    // MCP 2026-07-28, Transports: servers send no requests.
    asked: () => undefined,
  });
  const { error } = message.message;
  if (!isTold && error !== undefined) throw new UpstreamRefusal({ status: 200, error });
  return isNews;
}

function withoutSubscription(message: JsonObject, params: JsonObject): JsonObject {
  const { [SUBSCRIPTION_ID]: _, ...meta } = metaOf(params);
  const { _meta: __, ...others } = params;
  if (message.params === undefined) return message;
  return { ...message, params: Object.keys(meta).length === 0 ? others : { ...others, _meta: meta } };
}
