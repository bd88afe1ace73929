import { hex } from "./encoding.ts";
import type { Random } from "./random.ts";

const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 48 bits of milliseconds and 80 random bits, sortable by time (Crockford base32, 26 characters). */
export function ulid(now: number, random: Random): string {
  let time = "";
  for (let rest = now, i = 0; i < 10; i++, rest = Math.floor(rest / 32)) time = CROCKFORD[rest % 32] + time;
  const bytes = random.bytes(16);
  let tail = "";
  for (const byte of bytes) tail += CROCKFORD[byte & 31];
  return time + tail;
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
