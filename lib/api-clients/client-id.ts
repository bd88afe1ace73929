import { equalBytes } from "../encoding.ts";
import { formatUuid } from "../ids.ts";
import type { Random } from "../random.ts";

/** The client ids of one region (D23). */
export interface ClientIds {
  /**
   * A new id: `client_` and a UUID version 8 (RFC 9562 §5.8) of 90 random bits, whose last 32 bits are a check keyed with
   * the region's secret.
   */
  create(random: Random): Promise<string>;
  /** Whether the region's secret made the id: invented ones are refused without a read. True does not mean that it exists. */
  isOurs(text: string): Promise<boolean>;
}

/** @param secret the region's, at least 32 bytes */
export function clientIds(secret: Uint8Array): ClientIds {
  const check = checker(secret);
  return {
    create: async (random) => {
      const bytes = random.bytes(UUID_BYTES);
      bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
      bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
      bytes.set(await check(bytes.slice(0, CHECKED_BYTES)), CHECKED_BYTES);
      return PREFIX + formatUuid(bytes);
    },
    isOurs: async (text) => {
      if (!FORM.test(text)) return false;
      const bytes = uuidBytes(text.slice(PREFIX.length));
      return equalBytes(await check(bytes.slice(0, CHECKED_BYTES)), bytes.slice(CHECKED_BYTES));
    },
  };
}

const PREFIX = "client_";
const UUID_BYTES = 16;
const CHECKED_BYTES = 12;
const FORM = /^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Importing a key costs twice what a check costs, so that it is kept: the key, never a promise of it (D29). */
function checker(secret: Uint8Array): (data: Uint8Array<ArrayBuffer>) => Promise<Uint8Array> {
  let kept: CryptoKey | undefined;
  return async (data) => {
    kept ??= await importSecret(secret);
    return new Uint8Array(await crypto.subtle.sign("HMAC", kept, data), 0, UUID_BYTES - CHECKED_BYTES);
  };
}

function importSecret(secret: Uint8Array): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", new Uint8Array(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
}

function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  const digits = uuid.replaceAll("-", "");
  return Uint8Array.from({ length: UUID_BYTES }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
