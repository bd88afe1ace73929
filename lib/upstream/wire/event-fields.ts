import { concatenate, decodeUtf8 } from "./byte-source.ts";
import { tooLarge } from "./upstream-failure.ts";

/** What a line of an event stream says. */
export type EventField =
  /** Bytes of data; each line of data but the first of an event begins with a line feed. */
  | { readonly kind: "data"; readonly bytes: Uint8Array }
  | { readonly kind: "event" | "id"; readonly text: string }
  /** Milliseconds. */
  | { readonly kind: "retry"; readonly time: number }
  /** The empty line behind an event. */
  | { readonly kind: "end" };

/** Bytes of the value of a field that is not data. */
export const FIELD_LIMIT = 4_096;

/**
 * Reads lines of `text/event-stream` (HTML Standard §9.2.6) that come in chunks, cut anywhere; a byte order mark in front is
 * the caller's to leave out. Data is passed on as it comes; comments and fields that nobody knows are passed over, however
 * long they are.
 *
 * @returns takes a chunk, and gives the fields that are in it. Throws an `UpstreamFailure`, `too_large`, when the type or
 * the id of an event is longer than 4 KiB
 */
export function createFieldReader(): (chunk: Uint8Array) => readonly EventField[] {
  let line = newLine();
  let hasData = false;
  let isAfterCR = false;

  const beginData = (): EventField => {
    const bytes = hasData ? LINE_FEED : NOTHING;
    hasData = true;
    return { kind: "data", bytes };
  };

  const endLine = (): EventField | undefined => {
    const { phase, name, value } = line;
    const isEmpty = phase === "name" && name === "";
    line = newLine();
    if (isEmpty) {
      hasData = false;
      return { kind: "end" };
    }
    // A line without a colon is a field without a value.
    if (phase === "name" && name === "data") return beginData();
    return phase === "skip" || name === "data" ? undefined : fieldOf(name, decodeUtf8(concatenate(value)));
  };

  return (chunk) => {
    const fields: EventField[] = [];
    const lineEnd = lineEndsOf(chunk);
    let from = isAfterCR && chunk[0] === LF ? 1 : 0;
    if (chunk.length > 0) isAfterCR = false;
    while (from < chunk.length) {
      const end = lineEnd(from);
      const rest = readName(line, chunk.subarray(from, end));
      if (line.name === "data" && line.phase === "begin") fields.push(beginData());
      const value = readValue(line, rest);
      if (line.name !== "data") keepValue(line, value);
      else if (value.length > 0) fields.push({ kind: "data", bytes: value });
      if (end === chunk.length) break;
      const field = endLine();
      if (field !== undefined) fields.push(field);
      from = end + 1;
      if (chunk[end] !== CR) continue;
      isAfterCR = from === chunk.length;
      if (chunk[from] === LF) from++;
    }
    return fields;
  };
}

interface Line {
  /** `begin`: behind the colon; `space`: the one space that may follow was not seen yet. */
  phase: "name" | "begin" | "space" | "value" | "skip";
  /** No more of it than tells it from those that are known. */
  name: string;
  /** Of other fields than data. */
  value: Uint8Array[];
  length: number;
}

const NAMES: ReadonlySet<string> = new Set(["data", "event", "id", "retry"]);
const LONGEST_NAME = 5;

function newLine(): Line {
  return { phase: "name", name: "", value: [], length: 0 };
}

/** What follows behind the name and its colon. */
function readName(line: Line, bytes: Uint8Array): Uint8Array {
  if (line.phase === "begin") line.phase = "space";
  if (line.phase !== "name") return bytes;
  const colon = bytes.indexOf(COLON);
  const end = Math.min(colon === -1 ? bytes.length : colon, LONGEST_NAME + 1);
  line.name += decodeUtf8(bytes.subarray(0, end));
  if (colon !== -1) line.phase = NAMES.has(line.name) ? "begin" : "skip";
  else if (line.name.length > LONGEST_NAME) line.phase = "skip";
  return colon === -1 ? NOTHING : bytes.subarray(colon + 1);
}

/** The bytes without the space that may stand in front of a value. */
function readValue(line: Line, bytes: Uint8Array): Uint8Array {
  if (line.phase === "skip" || bytes.length === 0) return NOTHING;
  const hasSpace = line.phase !== "value" && bytes[0] === SPACE;
  line.phase = "value";
  return hasSpace ? bytes.subarray(1) : bytes;
}

function keepValue(line: Line, bytes: Uint8Array): void {
  if (bytes.length === 0) return;
  line.length += bytes.length;
  if (line.length > FIELD_LIMIT) throw tooLarge(`The \`${line.name}\` of an event`, FIELD_LIMIT);
  line.value.push(bytes.slice());
}

/** Undefined for values that the standard ignores. */
function fieldOf(name: string, text: string): EventField | undefined {
  if (name === "event") return { kind: "event", text };
  if (name === "id") return text.includes("\0") ? undefined : { kind: "id", text };
  return name === "retry" && /^\d+$/.test(text) ? { kind: "retry", time: Number(text) } : undefined;
}

/** Finds the end of the line that goes on at a position: the chunk's end, or a CR or LF. Each of them is looked for once. */
function lineEndsOf(chunk: Uint8Array): (from: number) => number {
  const next = [CR, LF].map((byte) => {
    let found = -1;
    return (from: number): number => {
      if (found >= from) return found;
      const at = chunk.indexOf(byte, from);
      found = at === -1 ? chunk.length : at;
      return found;
    };
  });
  return (from) => Math.min(...next.map((find) => find(from)));
}

const NOTHING = new Uint8Array();
const LINE_FEED = new Uint8Array([0x0a]);
const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
