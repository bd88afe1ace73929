import { base64, utf8 } from "../../encoding.ts";

/** A text as a header carries it (MCP 2026-07-28, Transports, Value Encoding): what a header cannot hold, or would read otherwise, in base64. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${base64(utf8(text))}?=`;
}
