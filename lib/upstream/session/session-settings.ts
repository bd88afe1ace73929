import { causeOf } from "../../logging/cause.ts";
import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Deadline } from "../deadline.ts";
import { UpstreamRefusal } from "../refusal.ts";
import { wireTarget } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { sessionHeaders } from "./end-session.ts";

/**
 * Subscribes a new session to what the one before was subscribed to. What is refused now is told in the log alone.
 *
 * @param signal aborts when nobody wants it any more
 */
export async function resubscribe(session: UpstreamSession, upstream: Upstream, signal?: AbortSignal): Promise<void> {
  const { app, request } = upstream;
  for (const uri of session.subscriptions ?? []) {
    if (signal?.aborted) return;
    try {
      await subscribe(session, uri, upstream);
    } catch (cause) {
      request.logger.warn("an upstream's resource is not subscribed to any more", {
        app: app.name,
        cause: causeOf(cause),
      });
    }
  }
}

/** @throws UpstreamRefusal; UpstreamFailure */
export async function subscribe(session: UpstreamSession, uri: string, upstream: Upstream): Promise<void> {
  const { app } = upstream;
  const message = { jsonrpc: "2.0", id: "subscribe", method: "resources/subscribe", params: { uri } };
  const signal = AbortSignal.timeout(app.timeout);
  const answer = await postMessage(JSON.stringify(message), wireTarget(upstream, sessionHeaders(session), signal));
  if (answer.kind === "refused") throw new UpstreamRefusal(answer);
  if (answer.kind !== "messages") return;
  for await (const told of answer.messages) {
    if (told.kind === "long" || told.message.id !== message.id || told.message.method !== undefined) continue;
    const { error } = told.message;
    if (error !== undefined) throw new UpstreamRefusal({ status: 200, error });
    return;
  }
}

/** Tells a new session which log messages the agent asked for. An upstream that has none of them refuses, which changes nothing. */
export async function setLevel(session: UpstreamSession, upstream: Upstream, deadline: Deadline): Promise<void> {
  const { logLevel } = upstream.agent;
  if (logLevel === undefined) return;
  const signal = AbortSignal.any([upstream.signal, deadline.signal]);
  const message = { jsonrpc: "2.0", id: "level", method: "logging/setLevel", params: { level: logLevel } };
  const answer = await postMessage(JSON.stringify(message), wireTarget(upstream, sessionHeaders(session), signal));
  if (answer.kind === "messages") for await (const _ of answer.messages) break;
}
