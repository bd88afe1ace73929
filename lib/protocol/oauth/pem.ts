/** Text encodings of keys (RFC 7468). */
import { base64, fromBase64 } from "../../kernel/encoding.ts";

/** DER bytes as one PEM block with 64 characters a line. */
export function toPem(label: string, der: Uint8Array): string {
  const lines = base64(der).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** The label and the DER bytes of a text that is exactly one PEM block; undefined for anything else. */
export function fromPem(text: string): { readonly label: string; readonly der: Uint8Array<ArrayBuffer> } | undefined {
  const match = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/.exec(text);
  const [, label, body] = match ?? [];
  if (label === undefined || body === undefined) return undefined;
  const digits = body.replaceAll(/\s/g, "");
  if (digits.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(digits)) return undefined;
  return { label, der: fromBase64(digits) };
}
