import { readAnswer, type WireAnswer } from "./wire-answer.ts";
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
