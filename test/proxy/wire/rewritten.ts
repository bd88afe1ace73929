import { createJsonRewriter, type JsonRewriter } from "../../../lib/upstream/wire/json-rewriter.ts";
import type { RewriteRules } from "../../../lib/upstream/wire/rewrite-rules.ts";

/** Pushes the bytes cut at the positions, and gives the rewritten text. */
export function rewriteCut(bytes: Uint8Array, cuts: readonly number[], rules: RewriteRules) {
  const rewriter = createJsonRewriter(rules);
  return { text: pushAll(rewriter, cut(bytes, cuts)), facts: rewriter.facts() };
}

export function pushAll(rewriter: JsonRewriter, chunks: Iterable<Uint8Array>): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  for (const chunk of chunks) {
    const before = chunk.slice();
    text += decoder.decode(rewriter.push(chunk), { stream: true });
    if (!before.every((byte, at) => byte === chunk[at])) throw new Error("The rewriter wrote into a chunk.");
  }
  return text + decoder.decode(rewriter.end());
}

export function* cut(bytes: Uint8Array, cuts: readonly number[]): Generator<Uint8Array> {
  let from = 0;
  for (const at of [...cuts, bytes.length]) {
    // A copy at an odd place: what is passed on may be read by words.
    const room = new Uint8Array(at - from + (at % 4));
    const chunk = room.subarray(at % 4);
    chunk.set(bytes.subarray(from, at));
    yield chunk;
    from = at;
  }
}

export function everyByte(length: number): readonly number[] {
  return Array.from({ length: Math.max(0, length - 1) }, (_, index) => index + 1);
}
