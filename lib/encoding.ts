const encoder = new TextEncoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** Base64url without padding (RFC 4648 §5). */
export function base64url(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * Canonical base64url only: undefined on padding, foreign characters, or unused trailing bits that are not zero
 * (RFC 4648 §3.5), so that one value has one spelling.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  // Only the last group can have unused bits, so only it is encoded again.
  const tail = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
  return base64url(tail) === text.slice(-(text.length % 4 || 4)) ? bytes : undefined;
}

export function hex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** Whether the bytes are the same; the time it takes tells nothing but the lengths. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let i = 0; i < one.length; i++) difference |= (one[i] as number) ^ (other[i] as number);
  return difference === 0;
}

export async function sha256(data: Uint8Array<ArrayBuffer> | string): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = typeof data === "string" ? utf8(data) : data;
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** SHA-256 as base64url: how secrets are named in stores. */
export async function sha256base64url(data: Uint8Array<ArrayBuffer> | string): Promise<string> {
  return base64url(await sha256(data));
}
