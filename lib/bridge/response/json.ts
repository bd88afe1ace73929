import { essence } from "../../http/media-type.ts";
import { isJsonObject, jsonExceeds } from "../../json.ts";
import { errorResult, textResult } from "../tool-result.ts";
import { misfit } from "./fits.ts";
import { type Invocation, succeeded } from "./invocation.ts";
import type { Reading } from "./reading.ts";
import { statusLine } from "./status-line.ts";
import { cut, unexpected } from "./unexpected.ts";

/** Levels of a JSON answer: what writes JSON uses the stack for each. */
const MAX_DEPTH = 1_000;
/** Characters of an answer that is told twice without need: agents pay for each. */
const TWICE_LIMIT = 256 * 1024;

/**
 * JSON as text, and an object as structured content as well, which clients hold against the output schema (D100); a long one
 * only where there is a schema.
 */
export function jsonAnswer(text: string, reading: Reading): Invocation {
  const json = parsed(text);
  if (json === undefined) return unexpected(reading, "it is not valid JSON", cut(text));
  const { value } = json;
  if (jsonExceeds(value, { depth: MAX_DEPTH })) {
    return unexpected(reading, `it is nested over ${MAX_DEPTH} levels deep`, cut(text));
  }
  const { tool, lenient, response } = reading;
  // RFC 9457: a problem is one whatever the status.
  if (essence(response.headers.get("content-type")) === "application/problem+json") {
    const result = errorResult(`${statusLine(response)}, but the answer describes a problem.\n\n${cut(text)}`);
    return { result, outcome: "tool_error", reason: "problem_details" };
  }
  const schema = lenient ? undefined : tool.outputSchema;
  const problem = schema && misfit(schema, value);
  if (problem !== undefined) return unexpected(reading, problem, text);
  const isStructured = isJsonObject(value) && (schema !== undefined || text.length <= TWICE_LIMIT);
  return succeeded({ ...textResult(text), ...(isStructured && { structuredContent: value }) });
}

/** Whether a text that is not labelled so is a JSON object or array. */
export function isJsonText(text: string): boolean {
  return /^\s*[[{]/.test(text) && parsed(text) !== undefined;
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The caller tells the agent.
    return undefined;
  }
}
