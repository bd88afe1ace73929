import { textResult } from "../../protocol/mcp/tool-result.ts";
import { reportItems } from "../progress.ts";
import { BrokenOffError, cut, failed, type Invocation, type Reading, succeeded, unexpected } from "./invocation.ts";
import { decode, readPart } from "./text.ts";

/** Bytes of a stream: one that goes on for ever has to end somewhere. */
export const STREAM_LIMIT = 1024 * 1024;

/**
 * Collects a stream until it ends, is too long, or the time of the call is over. What came by then is the answer, and it
 * says that there is more; a connection that breaks is an error that has it as well.
 */
export async function readStream(kind: "events" | "lines", reading: Reading): Promise<Invocation> {
  const { response, progress, interruption } = reading;
  const report = progress && reportItems(response, progress);
  const count = itemCounter(kind);
  const part = await readPart(response, STREAM_LIMIT, report && ((chunk) => report(count(chunk))));
  const why = part.end === "broken" ? (interruption?.() ?? "broken") : part.end;
  const text = decode(part.bytes, response.headers.get("content-type"), part.end !== "whole");
  const items = itemsIn(why === "whole" ? `${text}\n\n` : untilLastBreak(text, kind), kind);
  if (why === "cancelled" || (why === "timeout" && items.length === 0)) throw new BrokenOffError();
  const joined = items.join(kind === "events" ? "\n\n" : "\n");
  if (why === "broken") {
    return failed("broken_off", `The API's answer broke off after ${items.length} ${kind}.\n\n${cut(joined)}`);
  }
  const note = why === "whole" ? "" : `\n\n[The API's stream goes on; these are its first ${items.length} ${kind}.]`;
  if (isHeldToSchema(reading)) return unexpected(reading, "it is a stream, not JSON", joined + note);
  return succeeded(textResult(joined === "" ? `The API's stream ended without ${kind}.` : joined + note));
}

function isHeldToSchema({ tool, lenient }: Reading): boolean {
  return tool.outputSchema !== undefined && !lenient;
}

/** An item that is not whole is none. */
function untilLastBreak(text: string, kind: "events" | "lines"): string {
  return kind === "events" ? text : text.slice(0, text.lastIndexOf("\n") + 1);
}

/** The items of a stream as text: the events of `text/event-stream`, or JSON texts line by line. */
function itemsIn(text: string, kind: "events" | "lines"): readonly string[] {
  if (kind === "events") return events(text);
  // RFC 7464 §2.2: each text begins with a record separator.
  return text
    .replaceAll("\u001e", "\n")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/**
 * What an event says (HTML, Server-sent events, Interpreting an event stream): its data, below its name where it has
 * one. What no empty line ends is no event.
 */
function events(text: string): readonly string[] {
  const blocks = text.replaceAll(/\r\n?/g, "\n").split("\n\n").slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = block.split("\n").map(field);
    const data = fields.filter(({ name }) => name === "data").map(({ value }) => value);
    const named = fields.findLast(({ name }) => name === "event")?.value;
    if (data.length === 0) return [];
    return [[...(named ? [`event: ${named}`] : []), ...data].join("\n")];
  });
}

/** A comment has no name. */
function field(line: string): { readonly name: string; readonly value: string } {
  const colon = line.indexOf(":");
  if (colon === -1) return { name: line, value: "" };
  return { name: line.slice(0, colon), value: line.slice(colon + 1).replace(/^ /, "") };
}

/** Counts the items of a stream while its bytes arrive; what it returns takes a chunk and says how many there are by then. */
function itemCounter(kind: "events" | "lines"): (chunk: Uint8Array) => number {
  let count = 0;
  let lineLength = 0;
  let open = false;
  let previous = 0;
  const endLine = () => {
    if (kind === "lines" ? lineLength > 0 : lineLength === 0 && open) {
      count++;
      open = false;
    } else if (lineLength > 0) open = true;
    lineLength = 0;
  };
  return (chunk) => {
    for (const byte of chunk) {
      const isPair = byte === LF && previous === CR;
      if (byte !== LF && byte !== CR) lineLength++;
      else if (!isPair) endLine();
      previous = byte;
    }
    return count;
  };
}

const LF = 10;
const CR = 13;
