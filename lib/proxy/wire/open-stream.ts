import { utf8 } from "../../encoding.ts";
import { essence } from "../../http/media-type.ts";
import type { Refused } from "./refused.ts";
import { type Messages, readAnswer } from "./wire-answer.ts";
import { send, type WireTarget } from "./wire-target.ts";

export interface StreamTarget extends WireTarget {
  /** Where a stream that ended is taken up again. */
  readonly lastEventId?: string;
}

/** The upstream has no stream of its own. */
export interface NoStream {
  readonly kind: "none";
}

/**
 * The stream of a session's requests and notifications (MCP 2025-11-25, transports, listening for messages).
 *
 * @throws {UpstreamFailure} `unreachable`, `unanswered`, `redirect`, `broken_off`, `aborted`
 */
export async function openUpstreamStream(target: StreamTarget): Promise<Messages | Refused | NoStream> {
  const { lastEventId } = target;
  const resume = lastEventId === undefined ? undefined : { "last-event-id": headerValue(lastEventId) };
  const response = await send({ method: "GET" }, { accept: "text/event-stream", ...resume }, target);
  if (isNoStream(response, target)) {
    // What is thrown away cannot fail any more.
    await response.body?.cancel().catch(() => undefined);
    return { kind: "none" };
  }
  const answer = await readAnswer(response, target);
  return answer.kind === "accepted" ? { kind: "none" } : answer;
}

/** Where there is a session, 404 says that it is over. */
function isNoStream({ status, ok, headers }: Response, target: WireTarget): boolean {
  if (ok) return essence(headers.get("content-type")) !== "text/event-stream";
  return status === 405 || status === 501 || (status === 404 && !new Headers(target.headers).has("mcp-session-id"));
}

/** Header values are bytes; an id is sent as its UTF-8 (Fetch standard; HTML Standard §9.2.3). */
function headerValue(text: string): string {
  return Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("");
}
