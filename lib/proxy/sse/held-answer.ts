import type { RequestId } from "../../mcp/message.ts";
import { collectBytes } from "../wire/bytes.ts";
import { createJsonRewriter } from "../wire/json-rewriter.ts";
import { tooLarge } from "../wire/upstream-failure.ts";
import { HELD_LIMIT } from "../wire/upstream-message.ts";

export interface HeldAnswer {
  readonly id: RequestId | undefined;
  readonly bytes: Uint8Array;
}

/**
 * All of a long answer: whose it is may be said at its end.
 *
 * @throws UpstreamFailure `broken_json`, `too_large`, and what reading throws
 */
export async function holdAnswer(chunks: AsyncIterable<Uint8Array>): Promise<HeldAnswer> {
  const collected = collectBytes();
  const reader = createJsonRewriter({});
  for await (const chunk of chunks) {
    collected.add(chunk);
    if (collected.length > HELD_LIMIT) throw tooLarge("A message", HELD_LIMIT);
    reader.push(chunk);
  }
  reader.end();
  return { id: reader.facts().id, bytes: collected.all() };
}
