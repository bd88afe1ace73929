import { base64 } from "../../encoding.ts";
import { type ContentBlock, resourceBlock, textResult } from "../tool-result.ts";
import { type Invocation, succeeded } from "./invocation.ts";
import { isJsonText, jsonAnswer } from "./json.ts";
import { admitsPages, expectsJson, isPage, type Kind } from "./kind.ts";
import type { Reading } from "./reading.ts";
import { bytesOf, mediaTypeOf, statusLine, typeOf } from "./status-line.ts";
import { decode, textIn } from "./text.ts";
import { cut, unexpected } from "./unexpected.ts";

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
