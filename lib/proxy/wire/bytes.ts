const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is no UTF-8 becomes U+FFFD; a byte order mark stays. */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Of pieces of which only one has bytes, that one itself. */
export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const filled = pieces.filter(({ length }) => length > 0);
  if (filled.length === 1) return filled[0] as Uint8Array;
  const whole = new Uint8Array(filled.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of filled) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
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
