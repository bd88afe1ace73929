/** Where in a number a tokenizer is (RFC 8259 §6). */
export type NumberState = "minus" | "zero" | "integer" | "point" | "fraction" | "e" | "sign" | "exponent";

/** After the first byte of a value; undefined when no number begins with it. */
export function beginNumber(byte: number): NumberState | undefined {
  if (byte === MINUS) return "minus";
  if (byte === ZERO) return "zero";
  return isDigit(byte) ? "integer" : undefined;
}

/** After one more byte; undefined when it does not belong to the number. */
export function continueNumber(state: NumberState, byte: number): NumberState | undefined {
  if (byte === ZERO && state === "minus") return "zero";
  if (isDigit(byte)) return AFTER_DIGIT[state];
  if (byte === POINT) return state === "zero" || state === "integer" ? "point" : undefined;
  if (byte === E || byte === SMALL_E)
    return state === "zero" || state === "integer" || state === "fraction" ? "e" : undefined;
  return (byte === PLUS || byte === MINUS) && state === "e" ? "sign" : undefined;
}

/** The first position that has no digit. */
export function digitsUntil(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && isDigit(chunk[at] as number)) at++;
  return at;
}

/** Whether a number may end here. */
export function isWhole(state: NumberState): boolean {
  return state === "zero" || state === "integer" || state === "fraction" || state === "exponent";
}

const AFTER_DIGIT: Readonly<Record<NumberState, NumberState | undefined>> = {
  minus: "integer",
  // No leading zeros.
  zero: undefined,
  integer: "integer",
  point: "fraction",
  fraction: "fraction",
  e: "exponent",
  sign: "exponent",
  exponent: "exponent",
};

const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const E = 0x45;
const SMALL_E = 0x65;

function isDigit(byte: number): boolean {
  return byte >= ZERO && byte <= 0x39;
}
