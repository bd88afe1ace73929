const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(text);
}

/** The bytes of all pieces, in a place of their own. */
export function concatenated(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let offset = 0;
  for (const piece of pieces) {
    whole.set(piece, offset);
    offset += piece.length;
  }
  return whole;
}

/** Base64url without padding (RFC 4648 §5). */
export function base64url(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  // What stands behind the last byte counts as zeros.
  const at = (index: number) => bytes[index] ?? 0;
  for (let read = 0, written = 0; read < bytes.length; read += 3, written += 4) {
    const group = (at(read) << 16) | (at(read + 1) << 8) | at(read + 2);
    text[written] = digit(group >> 18);
    text[written + 1] = digit(group >> 12);
    // Characters beyond the end are not written.
    text[written + 2] = digit(group >> 6);
    text[written + 3] = digit(group);
  }
  return decoder.decode(text);
}

/** Base64 with padding (RFC 4648 §4), also of megabytes. */
export function base64(bytes: Uint8Array): string {
  // A multiple of three bytes makes no padding, and so many arguments fit on any stack.
  const step = 8_190;
  let text = "";
  for (let start = 0; start < bytes.length; start += step) {
    text += btoa(String.fromCharCode(...bytes.subarray(start, start + step)));
  }
  return text;
}

/**
 * The bytes of base64 with padding (RFC 4648 §4), also of megabytes. As `atob`, it takes spaces, and base64 without padding.
 * @throws DOMException what is none
 */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}

/**
 * Canonical base64url only: undefined on padding, foreign characters, or unused trailing bits that are not zero
 * (RFC 4648 §3.5), so that one value has one spelling.
 */
export function fromBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text;
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array((length * 3) >> 2);
  // Bits that are read and not written yet, the oldest first; `pending` of them.
  let bits = 0;
  let pending = 0;
  let written = 0;
  for (let i = 0; i < length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? FOREIGN;
    if (value === FOREIGN) return undefined;
    bits = ((bits << 6) | value) & 0xfff;
    pending += 6;
    if (pending >= 8) {
      pending -= 8;
      bytes[written++] = bits >> pending;
    }
  }
  const unused = bits & ((1 << pending) - 1);
  return unused === 0 ? bytes : undefined;
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

const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const FOREIGN = 0xff;
/** The six bits that a character code stands for. */
const VALUES = Uint8Array.from({ length: 128 }, (_, code) => {
  const value = BASE64URL.indexOf(String.fromCharCode(code));
  return value === -1 ? FOREIGN : value;
});

const DIGITS = encoder.encode(BASE64URL);

function digit(group: number): number {
  return DIGITS[group & 63] as number;
}
