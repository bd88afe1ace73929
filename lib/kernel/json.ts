/** A JSON object as parsed: nothing is known about its members. */
export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The JSON object that the bytes are in UTF-8; undefined for anything else (RFC 8259 §8.1: no byte order mark). */
export function parseJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export interface JsonLimits {
  /** Levels; a scalar has one, `[]` too, `[[]]` two. */
  readonly depth: number;
  /** Values, those inside others included. */
  readonly nodes?: number;
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** `[` and `{`, `]` and `}` differ in this bit alone. */
const CASE = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];

/**
 * Whether a JSON text has more values than `nodes` or is nested deeper than `depth`, without making any of them: parsing a
 * hundred thousand costs what thousands of honest requests do. An empty array or object counts as two values. Of a text
 * that is no JSON the answer means nothing.
 */
export function jsonTextExceeds(bytes: Uint8Array, { depth, nodes = Number.POSITIVE_INFINITY }: JsonLimits): boolean {
  let values = 1;
  let open = 0;
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index] as number;
    if (byte === QUOTE) {
      index = endOfString(bytes, index + 1);
      continue;
    }
    if (byte === COMMA) values++;
    else if ((byte | CASE) === OPENING) {
      values++;
      open++;
    } else if ((byte | CASE) === CLOSING) open--;
    else continue;
    if (values > nodes || open > depth) return true;
  }
  return false;
}

/** The index of the quote that ends a string; the text's length when none does. */
function endOfString(bytes: Uint8Array, begin: number): number {
  for (let index = bytes.indexOf(QUOTE, begin); index !== -1; index = bytes.indexOf(QUOTE, index + 1)) {
    let before = index;
    while (before > begin && bytes[before - 1] === BACKSLASH) before--;
    if ((index - before) % 2 === 0) return index;
  }
  return bytes.length;
}

/** Whether a JSON value is deeper or has more values than the limits say. Deep input uses no stack. */
export function jsonExceeds(value: unknown, { depth, nodes = Number.POSITIVE_INFINITY }: JsonLimits): boolean {
  let level: readonly unknown[] = [value];
  let seen = 0;
  for (let levels = 1; level.length > 0; levels++) {
    seen += level.length;
    if (levels > depth || seen > nodes) return true;
    level = level.flatMap((entry) => (typeof entry === "object" && entry !== null ? Object.values(entry) : []));
  }
  return false;
}
