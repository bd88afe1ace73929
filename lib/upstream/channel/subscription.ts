import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { metaOf } from "../../protocol/mcp/message.ts";
import { SUBSCRIPTION_ID } from "../../protocol/mcp/meta.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import { dispatch } from "../deliver.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { sessionHeaders } from "../session/end-session.ts";
import { wireTarget } from "../spoken-upstream.ts";
import { statelessHeaders, withEnvelope } from "../stateless-request.ts";
import type { Upstream } from "../upstream.ts";
import { openUpstreamStream, postMessage } from "../wire/post-message.ts";
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
  const isTold = dispatch(message, {
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

/**
 * The stream on which an upstream tells a session what it did not ask for (MCP 2025-11-25, Transports, Listening for Messages
 * from the Server). Undefined: it has none.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function openSessionStream(
  session: UpstreamSession,
  upstream: Upstream,
  lastEventId: string | undefined,
): Promise<OpenedStream | undefined> {
  const target = wireTarget(upstream, sessionHeaders(session), upstream.signal);
  const answer = await openUpstreamStream({ ...target, ...(lastEventId !== undefined && { lastEventId }) });
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  return answer.kind === "none" ? undefined : answer;
}
