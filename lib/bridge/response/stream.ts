import { reportItems } from "../progress.ts";
import { textResult } from "../tool-result.ts";
import { failed, type Invocation, succeeded } from "./invocation.ts";
import { itemCounter, itemsIn } from "./items.ts";
import { readPart } from "./read-part.ts";
import { BrokenOffError, type Reading } from "./reading.ts";
import { decode } from "./text.ts";
import { cut, unexpected } from "./unexpected.ts";

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
