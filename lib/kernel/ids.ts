import { hex } from "./encoding.ts";
import type { Random } from "./random.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Of 130 bits in 26 characters the first two are always zero. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** A ULID: 48 bits of milliseconds and 80 random bits, sortable by time (Crockford base32, 26 characters). */
export function ulid(now: number, random: Random): string {
  let tail = "";
  for (const byte of random.bytes(16)) tail += CROCKFORD[byte & 31];
  return timePart(now) + tail;
}

/** Whether a text is a ULID as `ulid` writes it. */
export function isUlid(text: string): boolean {
  return ULID.test(text);
}

/** The milliseconds since the epoch that a ULID starts with; undefined when the text is no ULID. */
export function ulidTime(text: string): number | undefined {
  if (!isUlid(text)) return undefined;
  let time = 0;
  for (const digit of text.slice(0, 10)) time = time * 32 + CROCKFORD.indexOf(digit);
  return time;
}

/** The first of all ULIDs of a time in milliseconds: those of earlier times sort before it. */
export function smallestUlid(time: number): string {
  return timePart(time) + "0".repeat(16);
}

function timePart(time: number): string {
  let text = "";
  for (let rest = time, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) text = CROCKFORD[rest % 32] + text;
  return text;
}

/** A random UUID, version 4 (RFC 9562 §5.4). */
export function uuid(random: Random): string {
  const bytes = random.bytes(16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return formatUuid(bytes);
}

/** Sixteen bytes in the 8-4-4-4-12 notation (RFC 9562 §4). */
export function formatUuid(bytes: Uint8Array): string {
  const text = hex(bytes);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join("-");
}
