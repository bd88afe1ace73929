import { base64 } from "../../kernel/encoding.ts";
import { isJsonObject, jsonExceeds } from "../../kernel/json.ts";
import { essence } from "../../protocol/http/media-type.ts";
import { type ContentBlock, errorResult, resourceBlock, textResult } from "../../protocol/mcp/tool-result.ts";
import { bytesOf, mediaTypeOf, statusLine, typeOf } from "./facts.ts";
import { misfit } from "./fits.ts";
import type { Reading } from "./invocation.ts";
import { cut, type Invocation, succeeded, unexpected } from "./invocation.ts";
import { admitsPages, expectsJson, isPage, type Kind } from "./kind.ts";
import { decode, textIn } from "./text.ts";

/** The result of a success whose body was read. */
export function bodyAnswer(body: Uint8Array, kind: Kind, reading: Reading): Invocation {
  const contentType = reading.response.headers.get("content-type");
  if (kind === "image" || kind === "audio") return media(body, kind, reading);
  const text = kind === "other" ? textIn(body) : decode(body, contentType);
  if (text === undefined) return media(body, "resource", reading);
  if (text.trim() === "") return emptyAnswer(reading);
  return kind === "json" ? jsonAnswer(text, reading) : textAnswer(text, contentType, reading);
}

/**
 * A success that says nothing more. Under an output schema it is an empty object, which all of them have room for: the call
 * must not look failed.
 */
export function emptyAnswer(reading: Reading): Invocation {
  const { tool, response, lenient } = reading;
  const result = textResult(statusLine(response));
  if (tool.outputSchema === undefined || lenient) return succeeded(result);
  return succeeded({ ...result, structuredContent: {} });
}

/** JSON often comes under another name; a page for people in its place is what a sign-in or a proxy answers. */
function textAnswer(text: string, contentType: string | null, reading: Reading): Invocation {
  const { tool, response, lenient } = reading;
  if (expectsJson(tool.request.accept) && isJsonText(text)) return jsonAnswer(text, reading);
  const problem = `it is ${typeOf(response)}, not JSON`;
  if (isPage(contentType) && !admitsPages(tool.request.accept)) return unexpected(reading, problem, cut(text));
  if (tool.outputSchema !== undefined && !lenient) return unexpected(reading, problem, text);
  return succeeded(textResult(text));
}

function media(body: Uint8Array, type: "image" | "audio" | "resource", reading: Reading): Invocation {
  const { tool, response, lenient } = reading;
  if (body.byteLength === 0) return emptyAnswer(reading);
  if (tool.outputSchema !== undefined && !lenient) {
    return unexpected(reading, `it is ${bytesOf(response, body.byteLength)}, not JSON`);
  }
  return succeeded({ content: [block(base64(body))] });

  function block(data: string): ContentBlock {
    const mimeType = mediaTypeOf(response);
    if (mimeType === undefined) return resourceBlock(tool.name, "application/octet-stream", data);
    return type === "resource" ? resourceBlock(tool.name, mimeType, data) : { type, data, mimeType };
  }
}

/** Levels of a JSON answer: what writes JSON uses the stack for each. */
const MAX_DEPTH = 1_000;
/** Characters of an answer that is told twice without need: agents pay for each. */
const TWICE_LIMIT = 256 * 1024;

/**
 * JSON as text, and an object as structured content as well, which clients hold against the output schema (D100); a long one
 * only where there is a schema.
 */
function jsonAnswer(text: string, reading: Reading): Invocation {
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
function isJsonText(text: string): boolean {
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
