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
