import { plainUntil, type StringState, stringState } from "./json-string.ts";
import { brokenJson } from "./upstream-failure.ts";

export type ValueKind = "object" | "list" | "string" | "scalar";

/** Told of what a JSON text has, with positions in the chunk at hand: of a first byte, or behind a last one. */
export interface JsonEvents {
  readonly begin: (kind: ValueKind, at: number) => void;
  /** Of an object or a list. */
  readonly close: (at: number) => void;
  /** Of any other value. */
  readonly end: (at: number) => void;
  readonly beginKey: (at: number) => void;
  readonly endKey: (at: number) => void;
  readonly comma: (at: number) => void;
  /** CR or LF outside of strings. */
  readonly lineBreak: (at: number) => void;
}

export interface JsonTokenizer {
  /** @throws {UpstreamFailure} `broken_json` at the first byte that cannot belong to a JSON text */
  push(chunk: Uint8Array): void;
  /** @throws {UpstreamFailure} `broken_json` when the text is not complete */
  end(): void;
}

/** Objects and lists that may be open at a time. */
export const MAX_DEPTH = 1_000;

/** Reads one JSON text (RFC 8259) that comes in chunks, cut anywhere. It holds a byte of state for each open object and list. */
export function createJsonTokenizer(events: JsonEvents): JsonTokenizer {
  const open = new Uint8Array(MAX_DEPTH);
  let depth = 0;
  /** Outside of strings, numbers and literals. */
  let expected = VALUE;
  let string: StringState | undefined;
  let isKey = false;
  let number: NumberState | undefined;
  /** What is left of `true`, `false` or `null`. */
  let literal = "";
  /** Bytes of the chunks before. */
  let passed = 0;

  const unexpected = (at: number): Error => brokenJson(`byte ${passed + at} is not what JSON allows there`);

  const afterValue = (): void => {
    expected = depth === 0 ? NOTHING : SEPARATOR;
  };

  const openContainer = (kind: "object" | "list", at: number) => {
    if (depth === MAX_DEPTH) throw brokenJson(`it has more than ${MAX_DEPTH} levels`);
    events.begin(kind, at);
    open[depth++] = kind === "object" ? OBJECT : LIST;
    expected = kind === "object" ? KEY_OR_END : VALUE_OR_END;
  };

  const closeContainer = (kind: number, at: number) => {
    if (depth === 0 || open[depth - 1] !== kind) throw unexpected(at);
    depth--;
    afterValue();
    events.close(at + 1);
  };

  const beginValue = (byte: number, at: number) => {
    if (byte === QUOTE) {
      isKey = false;
      string = "plain";
      return events.begin("string", at);
    }
    if (byte === OPEN_OBJECT) return openContainer("object", at);
    if (byte === OPEN_LIST) return openContainer("list", at);
    number = beginNumber(byte);
    if (number === undefined) literal = LITERALS.get(byte) ?? "";
    if (number === undefined && literal === "") throw unexpected(at);
    events.begin("scalar", at);
  };

  const beginKey = (at: number) => {
    isKey = true;
    string = "plain";
    events.beginKey(at);
  };

  const separate = (byte: number, at: number) => {
    if (byte !== COMMA) return closeContainer(byte === CLOSE_OBJECT ? OBJECT : byte === CLOSE_LIST ? LIST : 0, at);
    expected = open[depth - 1] === OBJECT ? KEY : VALUE;
    events.comma(at);
  };

  const structure = (byte: number, at: number) => {
    if (byte === LF || byte === CR) return events.lineBreak(at);
    if (byte === SPACE || byte === TAB) return;
    if (expected === SEPARATOR) return separate(byte, at);
    if (expected === COLON && byte === COLON_BYTE) {
      expected = VALUE;
      return;
    }
    if (expected === VALUE_OR_END && byte === CLOSE_LIST) return closeContainer(LIST, at);
    if (expected === KEY_OR_END && byte === CLOSE_OBJECT) return closeContainer(OBJECT, at);
    if (expected === VALUE || expected === VALUE_OR_END) return beginValue(byte, at);
    if ((expected === KEY || expected === KEY_OR_END) && byte === QUOTE) return beginKey(at);
    throw unexpected(at);
  };

  const endString = (at: number) => {
    string = undefined;
    if (isKey) {
      expected = COLON;
      return events.endKey(at);
    }
    afterValue();
    events.end(at);
  };

  /** Positions behind what they read. */
  const readString = (chunk: Uint8Array, from: number, state: StringState): number => {
    const at = state === "plain" ? plainUntil(chunk, from) : from;
    if (at === chunk.length) return at;
    const next = stringState(state, chunk[at] as number);
    if (next === "broken") throw unexpected(at);
    if (next === "ended") endString(at + 1);
    else string = next;
    return at + 1;
  };

  const readNumber = (chunk: Uint8Array, from: number, state: NumberState): number => {
    // Behind a zero no digit may follow.
    const at = isWhole(state) && state !== "zero" ? digitsUntil(chunk, from) : from;
    if (at === chunk.length) return at;
    const next = continueNumber(state, chunk[at] as number);
    number = next;
    if (next !== undefined) return at + 1;
    if (!isWhole(state)) throw unexpected(at);
    afterValue();
    events.end(at);
    return at;
  };

  const readLiteral = (byte: number, at: number) => {
    if (literal.charCodeAt(0) !== byte) throw unexpected(at);
    literal = literal.slice(1);
    if (literal !== "") return;
    afterValue();
    events.end(at + 1);
  };

  return {
    push: (chunk) => {
      let at = 0;
      while (at < chunk.length) {
        if (string !== undefined) at = readString(chunk, at, string);
        else if (number !== undefined) at = readNumber(chunk, at, number);
        else if (literal !== "") readLiteral(chunk[at] as number, at++);
        else structure(chunk[at] as number, at++);
      }
      passed += chunk.length;
    },
    end: () => {
      if (number !== undefined && depth === 0 && isWhole(number)) {
        number = undefined;
        afterValue();
        events.end(0);
      }
      if (expected !== NOTHING) throw brokenJson(`its JSON ends at byte ${passed} and is not complete`);
    },
  };
}

const [VALUE, VALUE_OR_END, KEY, KEY_OR_END, COLON, SEPARATOR, NOTHING] = [0, 1, 2, 3, 4, 5, 6];
const [OBJECT, LIST] = [1, 2];

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON_BYTE = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** By their first bytes, what follows these. */
const LITERALS: ReadonlyMap<number, string> = new Map([
  [0x74, "rue"],
  [0x66, "alse"],
  [0x6e, "ull"],
]);

/** Where in a number a tokenizer is (RFC 8259 §6). */
type NumberState = "minus" | "zero" | "integer" | "point" | "fraction" | "e" | "sign" | "exponent";

/** After the first byte of a value; undefined when no number begins with it. */
function beginNumber(byte: number): NumberState | undefined {
  if (byte === MINUS) return "minus";
  if (byte === ZERO) return "zero";
  return isDigit(byte) ? "integer" : undefined;
}

/** After one more byte; undefined when it does not belong to the number. */
function continueNumber(state: NumberState, byte: number): NumberState | undefined {
  if (byte === ZERO && state === "minus") return "zero";
  if (isDigit(byte)) return AFTER_DIGIT[state];
  if (byte === POINT) return state === "zero" || state === "integer" ? "point" : undefined;
  if (byte === E || byte === SMALL_E)
    return state === "zero" || state === "integer" || state === "fraction" ? "e" : undefined;
  return (byte === PLUS || byte === MINUS) && state === "e" ? "sign" : undefined;
}

/** The first position that has no digit. */
function digitsUntil(chunk: Uint8Array, from: number): number {
  let at = from;
  while (at < chunk.length && isDigit(chunk[at] as number)) at++;
  return at;
}

/** Whether a number may end here. */
function isWhole(state: NumberState): boolean {
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
