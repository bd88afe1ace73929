/** Where in a string a tokenizer is (RFC 8259 §7): after a backslash, or how many hexadecimal digits of an escape are missing. */
export type StringState = "plain" | "escape" | 1 | 2 | 3 | 4;

/**
 * The first position from which on something is to be seen to: a quote, a backslash, or a control character, which strings
 * do not have. Most bytes of long answers pass here, four at a time.
 */
export function plainUntil(chunk: Uint8Array, from: number): number {
  const { length } = chunk;
  const near = Math.min(from + NEAR, length);
  for (let at = from; at < near; at++) if (isSpecial(chunk[at] as number)) return at;
  let at = near;
  while (at < length && (chunk.byteOffset + at) % 4 !== 0 && !isSpecial(chunk[at] as number)) at++;
  at += 4 * plainWords(chunk, at);
  while (at < length && !isSpecial(chunk[at] as number)) at++;
  return at;
}

/** Most strings end within so many bytes: looking at words does not pay. */
const NEAR = 48;

function isSpecial(byte: number): boolean {
  return byte < SPACE || byte === QUOTE || byte === BACKSLASH;
}

/** How many words of four plain bytes follow; none where they are not aligned. */
function plainWords(chunk: Uint8Array, from: number): number {
  const start = chunk.byteOffset + from;
  const count = (chunk.length - from) >> 2;
  if (start % 4 !== 0 || count === 0) return 0;
  const words = new Int32Array(chunk.buffer, start, count);
  let at = 0;
  for (; at < count; at++) {
    const word = words[at] as number;
    const quotes = word ^ 0x22222222;
    const backslashes = word ^ 0x5c5c5c5c;
    // A byte below n sets the highest bit of (byte - n) & ~byte. Where a borrow sets one without need, a lower byte was below n.
    const below =
      ((word - 0x20202020) & ~word) | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
    if ((below & 0x80808080) !== 0) break;
  }
  return at;
}

/** After one more byte. */
export function stringState(state: StringState, byte: number): StringState | "ended" | "broken" {
  if (state === "plain")
    return byte === QUOTE ? "ended" : byte === BACKSLASH ? "escape" : byte < SPACE ? "broken" : state;
  if (state === "escape") return byte === SMALL_U ? 4 : ESCAPED[byte] ? "plain" : "broken";
  if (!isHexDigit(byte)) return "broken";
  return state === 1 ? "plain" : ((state - 1) as StringState);
}

const SPACE = 0x20;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SMALL_U = 0x75;
/** Whether a byte may follow a backslash. */
const ESCAPED = Array.from({ length: 256 }, (_, byte) => '"\\/bfnrt'.includes(String.fromCharCode(byte)));

function isHexDigit(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}
