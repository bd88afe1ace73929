import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { equalBytes, utf8 } from "../kernel/encoding.ts";
import { formatUuid } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";

/** The client ids of one region (D23). */
export interface ClientIds {
  /**
   * A new id: `client_` and a UUID version 8 (RFC 9562 §5.8) of 90 random bits, whose last 32 bits are a check keyed with
   * the region's secret.
   */
  create(random: Random): string;
  /** Whether the region's secret made the id: invented ones are refused without a read. True does not mean that it exists. */
  isOurs(text: string): boolean;
  /** A byte that the text has with this secret, and that nobody can tell without it. */
  byteOf(text: string): number;
}

/** @param secret the region's, at least 32 bytes */
export function clientIds(secret: Uint8Array): ClientIds {
  const keyed = hmac.create(sha256, secret);
  const check = (data: Uint8Array) =>
    keyed
      .clone()
      .update(data)
      .digest()
      .subarray(0, UUID_BYTES - CHECKED_BYTES);
  return {
    create: (random) => {
      const bytes = random.bytes(UUID_BYTES);
      bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
      bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
      bytes.set(check(bytes.subarray(0, CHECKED_BYTES)), CHECKED_BYTES);
      return PREFIX + formatUuid(bytes);
    },
    isOurs: (text) => {
      if (!FORM.test(text)) return false;
      const bytes = uuidBytes(text.slice(PREFIX.length));
      return equalBytes(check(bytes.subarray(0, CHECKED_BYTES)), bytes.subarray(CHECKED_BYTES));
    },
    // Longer than what ids are checked by, and so never the same.
    byteOf: (text) => check(utf8(`byte of ${text}`))[0] as number,
  };
}

const PREFIX = "client_";
const UUID_BYTES = 16;
const CHECKED_BYTES = 12;
const FORM = /^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** @param uuid in the 8-4-4-4-12 notation */
function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(UUID_BYTES);
  for (let i = 0, at = 0; i < UUID_BYTES; i++, at += 2) {
    if (uuid[at] === "-") at += 1;
    bytes[i] = Number.parseInt(uuid.slice(at, at + 2), 16);
  }
  return bytes;
}
