import { base64, fromBase64, utf8 } from "../../kernel/encoding.ts";

/**
 * The text that a header stands for: values that a header cannot carry come as `=?base64?…?=` (MCP 2026-07-28, Transports,
 * Value Encoding). Undefined: there is no header; null: it is not encoded as it has to be.
 */
export function decodeHeader(header: string | null): string | null | undefined {
  if (header === null) return undefined;
  const value = header.trim();
  const [, encoded] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (encoded === undefined) return value;
  try {
    const bytes = fromBase64(encoded);
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return base64(utf8(text)) === encoded ? text : null;
  } catch {
    // Neither base64 nor UTF-8 equals any name.
    return null;
  }
}

/** A text as a header carries it, in base64 where a header could not hold it or it would be read otherwise. */
export function encodeHeader(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text);
  return isPlain ? text : `=?base64?${base64(utf8(text))}?=`;
}
