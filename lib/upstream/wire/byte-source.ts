import { concatenated } from "../../kernel/encoding.ts";
import { networkFailure } from "../../net/failure.ts";
import type { AnswerInPieces, BodyPieces } from "../../net/outbound.ts";
import { aborted, brokenOff, tooLarge } from "./upstream-failure.ts";

/** The bytes of an answer, chunk by chunk. */
export interface ByteSource {
  /**
   * Undefined at the end.
   *
   * @throws {UpstreamFailure} `broken_off` when the connection breaks, `aborted` when the signal does
   */
  read(): Promise<Uint8Array | undefined>;
  /** The rest is not fetched; a read that waits ends. Never rejects. */
  cancel(): Promise<void>;
}

/**
 * The bytes of an answer, in pieces where its `fetch` has them so; null: it has no body.
 *
 * @param signal that of the request
 */
export function bytesOf(answer: Pick<Response, "body"> & AnswerInPieces, signal: AbortSignal): ByteSource | null {
  if (answer.pieces !== undefined) return pieceSource(answer.pieces, signal);
  return answer.body === null ? null : byteSource(answer.body, signal);
}

function pieceSource(pieces: BodyPieces, signal: AbortSignal): ByteSource {
  return {
    read: async () => {
      try {
        const piece = await pieces.read();
        if (!signal.aborted) return piece;
      } catch (error) {
        if (!signal.aborted) throw brokenOff(networkFailure(error).cause);
      }
      throw aborted();
    },
    cancel: pieces.cancel,
  };
}

/** Whoever does not read to the end cancels, or aborts the signal. */
export function byteSource(body: ReadableStream<Uint8Array>, signal: AbortSignal): ByteSource {
  const reader = body.getReader();
  // What is thrown away cannot fail any more.
  const discard = (): Promise<void> => reader.cancel().catch(() => undefined);
  const onAbort = (): void => void discard();
  const stopListening = (): void => signal.removeEventListener("abort", onAbort);
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    read: async () => {
      const next = await reader.read().catch((error: unknown) => {
        stopListening();
        throw signal.aborted ? aborted() : brokenOff(networkFailure(error).cause);
      });
      if (signal.aborted) throw aborted();
      if (!next.done) return next.value;
      stopListening();
      return undefined;
    },
    cancel: () => {
      stopListening();
      return discard();
    },
  };
}

/** The bytes without the byte order mark that may stand in front of them. */
export function withoutMark({ read, cancel }: ByteSource): ByteSource {
  let isBehind = false;
  const readFirst = async (): Promise<Uint8Array | undefined> => {
    let first: Uint8Array = new Uint8Array();
    while (first.length < MARK.length && MARK.subarray(0, first.length).every((byte, at) => byte === first[at])) {
      const chunk = await read();
      if (chunk === undefined) return first.length === 0 ? undefined : first;
      first = concatenate([first, chunk]);
    }
    return MARK.every((byte, at) => byte === first[at]) ? first.subarray(MARK.length) : first;
  };
  return {
    cancel,
    read: () => {
      if (isBehind) return read();
      isBehind = true;
      return readFirst();
    },
  };
}

/** U+FEFF in UTF-8. */
const MARK = new Uint8Array([0xef, 0xbb, 0xbf]);

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is no UTF-8 becomes U+FFFD; a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Of pieces of which only one has bytes, that one itself. */
export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const filled = pieces.filter(({ length }) => length > 0);
  if (filled.length === 1) return filled[0] as Uint8Array;
  return concatenated(filled);
}

/** Bytes that come one after another, kept in one place, however small the pieces. */
export interface CollectedBytes {
  readonly length: number;
  add(piece: Uint8Array): void;
  /** All of them, as they are until the next are added. */
  all(): Uint8Array;
}

export function collectBytes(): CollectedBytes {
  let room = new Uint8Array();
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (piece) => {
      if (length + piece.length > room.length) {
        const larger = new Uint8Array(Math.max(2 * room.length, length + piece.length));
        larger.set(room.subarray(0, length));
        room = larger;
      }
      room.set(piece, length);
      length += piece.length;
    },
    all: () => room.subarray(0, length),
  };
}

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
  const first = await read();
  if (first === undefined) return { head: new Uint8Array() };
  if (first.length > limit) return { head: first, read };
  const second = await read();
  // Mostly there is one piece, which need not be copied.
  if (second === undefined) return { head: first };
  const collected = collectBytes();
  collected.add(first);
  for (let piece: Uint8Array | undefined = second; piece !== undefined; piece = await read()) {
    collected.add(piece);
    if (collected.length > limit) return { head: collected.all(), read };
  }
  return { head: collected.all() };
}

export async function* chunksOf({ head, read }: Incoming): AsyncGenerator<Uint8Array, void, undefined> {
  yield head;
  for (let piece = await read?.(); piece !== undefined; piece = await read?.()) yield piece;
}
