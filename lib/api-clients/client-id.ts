import { formatUuid } from "../ids.ts";
import type { Random } from "../random.ts";

/**
 * A new client id: `client_` and a UUID version 8 (RFC 9562 §5.8) of 90 random bits, whose last 32 bits are a check
 * keyed with the region's secret. Invented ids are refused without any read (D23).
 */
export async function newClientId(secret: Uint8Array, random: Random): Promise<string> {
  const bytes = random.bytes(UUID_BYTES);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  bytes.set(await check(bytes.slice(0, CHECKED_BYTES), secret), CHECKED_BYTES);
  return PREFIX + formatUuid(bytes);
}

/** Whether this region's secret made the id. True does not mean that the client exists. */
export async function isClientId(text: string, secret: Uint8Array): Promise<boolean> {
  if (!FORM.test(text)) return false;
  const bytes = uuidBytes(text.slice(PREFIX.length));
  const expected = await check(bytes.slice(0, CHECKED_BYTES), secret);
  return expected.every((byte, index) => byte === bytes[CHECKED_BYTES + index]);
}

const PREFIX = "client_";
const UUID_BYTES = 16;
const CHECKED_BYTES = 12;
const FORM = /^client_[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Importing costs twice what the check costs; entries live exactly as long as the secret that a caller passes. */
const importedSecrets = new WeakMap<Uint8Array, CryptoKey>();

async function check(data: Uint8Array<ArrayBuffer>, secret: Uint8Array): Promise<Uint8Array> {
  const key = importedSecrets.get(secret) ?? (await importSecret(secret));
  const mac = await crypto.subtle.sign("HMAC", key, data);
  return new Uint8Array(mac, 0, UUID_BYTES - CHECKED_BYTES);
}

async function importSecret(secret: Uint8Array): Promise<CryptoKey> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", new Uint8Array(secret), algorithm, false, ["sign"]);
  importedSecrets.set(secret, key);
  return key;
}

function uuidBytes(uuid: string): Uint8Array<ArrayBuffer> {
  const digits = uuid.replaceAll("-", "");
  return Uint8Array.from({ length: UUID_BYTES }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
