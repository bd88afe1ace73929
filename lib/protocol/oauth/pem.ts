/** Text encodings of keys (RFC 7468). */

/** DER bytes as one PEM block with 64 characters a line. */
export function toPem(label: string, der: Uint8Array): string {
  let binary = "";
  for (const byte of der) binary += String.fromCharCode(byte);
  const lines = btoa(binary).match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}

/** The label and the DER bytes of a text that is exactly one PEM block; undefined for anything else. */
export function fromPem(text: string): { readonly label: string; readonly der: Uint8Array<ArrayBuffer> } | undefined {
  const match = /^\s*-----BEGIN ([A-Z0-9 ]+)-----\s([A-Za-z0-9+/=\s]+)-----END \1-----\s*$/.exec(text);
  const [, label, body] = match ?? [];
  if (label === undefined || body === undefined) return undefined;
  const base64 = body.replaceAll(/\s/g, "");
  if (base64.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined;
  return { label, der: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) };
}
