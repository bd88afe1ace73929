import { utf8 } from "../../kernel/encoding.ts";
import { essence } from "../../protocol/http/media-type.ts";
import { type Messages, type Refused, readAnswer, type WireAnswer } from "./wire-answer.ts";
import { send, type WireTarget } from "./wire-target.ts";

/**
 * Sends one JSON-RPC message (MCP 2025-11-25 and 2026-07-28, transports, Streamable HTTP) and reads the answer's beginning.
 *
 * @throws {UpstreamFailure} `unreachable`, `unanswered`, `redirect`, `not_mcp`, `broken_off`, `aborted`
 */
export async function postMessage(text: string, target: WireTarget): Promise<WireAnswer> {
  return readAnswer(await send({ method: "POST", body: text }, HEADERS, target), target);
}

const HEADERS = {
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

interface StreamTarget extends WireTarget {
  /** Where a stream that ended is taken up again. */
  readonly lastEventId?: string;
}

/** The upstream has no stream of its own. */
interface NoStream {
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
