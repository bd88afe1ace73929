import { utf8 } from "../../encoding.ts";

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
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return encodeBase64(text) === encoded ? text : null;
  } catch {
    // Neither base64 nor UTF-8 equals any name.
    return null;
  }
}

function encodeBase64(text: string): string {
  return btoa(String.fromCharCode(...utf8(text)));
}
