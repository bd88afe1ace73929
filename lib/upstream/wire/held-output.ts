import { concatenate } from "./byte-source.ts";

/** Bytes of a string or number that is looked at; what is longer passes unread. */
export const TOKEN_LIMIT = 64 * 1024;

/** Passes on a chunk but for what is held back, muted or written in between. Positions are in the chunk, and only grow. */
export interface HeldOutput {
  beginChunk(chunk: Uint8Array): void;
  /** What is to be passed on of the chunk and of what was held before: possibly the chunk itself. */
  endChunk(): Uint8Array;
  /** From here on bytes are kept back until they are taken, with others put in front of them. */
  hold(at: number, prefix: Uint8Array): void;
  /** What was held up to here; undefined when it was too long: then it was passed on. */
  take(at: number): Uint8Array | undefined;
  /** Bytes are dropped from here on, written ones as well. */
  mute(at: number): void;
  unmute(at: number): void;
  /** Puts bytes in here. */
  write(at: number, bytes: Uint8Array): void;
  /** Leaves out the byte here. */
  skip(at: number): void;
  /** A space stands here instead. */
  blank(at: number): void;
}

export function createHeldOutput(): HeldOutput {
  let chunk: Uint8Array = new Uint8Array();
  /** Whether the chunk is a copy of our own. */
  let isOwn = false;
  /** Everything before is dealt with. */
  let from = 0;
  let pieces: Uint8Array[] = [];
  let held: Uint8Array[] | undefined;
  let heldLength = 0;
  let isMuted = false;

  const pass = (bytes: Uint8Array) => {
    if (!isMuted) pieces.push(bytes);
  };

  const cut = (at: number) => {
    if (at === from) return;
    const bytes = chunk.subarray(from, at);
    from = at;
    if (held === undefined) return pass(bytes);
    held.push(bytes);
    heldLength += bytes.length;
    if (heldLength <= TOKEN_LIMIT) return;
    for (const piece of held) pass(piece);
    held = undefined;
  };

  return {
    beginChunk: (next) => {
      chunk = next;
      isOwn = false;
      from = 0;
      pieces = [];
    },
    endChunk: () => {
      cut(chunk.length);
      return concatenate(pieces);
    },
    hold: (at, prefix) => {
      cut(at);
      held = [prefix];
      heldLength = prefix.length;
    },
    take: (at) => {
      cut(at);
      const taken = held && concatenate(held);
      held = undefined;
      return taken;
    },
    mute: (at) => {
      cut(at);
      isMuted = true;
    },
    unmute: (at) => {
      cut(at);
      isMuted = false;
    },
    write: (at, bytes) => {
      cut(at);
      pass(bytes);
    },
    skip: (at) => {
      cut(at);
      from = at + 1;
    },
    blank: (at) => {
      if (!isOwn) chunk = chunk.slice();
      isOwn = true;
      chunk[at] = SPACE;
    },
  };
}

const SPACE = 0x20;
