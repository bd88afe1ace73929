import type { UpstreamSession } from "../../stores/mcp-sessions.ts";
import type { Deadline } from "../deadline.ts";
import { type Upstream, wireTarget } from "../upstream.ts";
import { postMessage } from "../wire/post-message.ts";
import { sessionHeaders } from "./headers.ts";

/** Tells a new session which log messages the agent asked for. An upstream that has none of them refuses, which changes nothing. */
export async function setLevel(session: UpstreamSession, upstream: Upstream, deadline: Deadline): Promise<void> {
  const { logLevel } = upstream.agent;
  if (logLevel === undefined) return;
  const signal = AbortSignal.any([upstream.signal, deadline.signal]);
  const message = { jsonrpc: "2.0", id: "level", method: "logging/setLevel", params: { level: logLevel } };
  const answer = await postMessage(JSON.stringify(message), wireTarget(upstream, sessionHeaders(session), signal));
  if (answer.kind === "messages") for await (const _ of answer.messages) break;
}
