import type { ByteSource } from "./byte-source.ts";
import { collectBytes } from "./bytes.ts";
import { tooLarge } from "./upstream-failure.ts";

/** A text of an upstream, of which the beginning is there. */
export interface Incoming {
  readonly head: Uint8Array;
  /** What follows; absent: nothing does. */
  readonly read?: ByteSource["read"];
}

/** All of a text. @throws {UpstreamFailure} `too_large` above `limit` bytes, and what reading throws */
export async function readWhole({ head, read }: Incoming, limit: number): Promise<Uint8Array> {
  if (read === undefined) return head;
  const collected = collectBytes();
  for (let piece: Uint8Array | undefined = head; piece !== undefined; piece = await read()) {
    collected.add(piece);
    if (collected.length > limit) throw tooLarge("A message", limit);
  }
  return collected.all();
}

/** A text with its first bytes, more than `limit` of them if there are so many. */
export async function begin({ read }: ByteSource, limit: number): Promise<Incoming> {
  const collected = collectBytes();
  for (let piece = await read(); piece !== undefined; piece = await read()) {
    collected.add(piece);
    if (collected.length > limit) return { head: collected.all(), read };
  }
  return { head: collected.all() };
}

export async function* chunksOf({ head, read }: Incoming): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let piece = await read?.(); piece !== undefined; piece = await read?.()) yield piece;
}
