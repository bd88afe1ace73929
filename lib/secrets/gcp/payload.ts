import type { JsonObject } from "../../json.ts";
import type { Picked } from "../field.ts";

/**
 * The text of a `SecretPayload`, or why it has none: `data` is base64 (RFC 4648 §4) and absent when it is empty, `dataCrc32c`
 * the CRC-32C of what it stands for, a decimal number as text, and may be absent.
 */
export function payloadText({ data, dataCrc32c }: JsonObject): Picked {
  const bytes = decoded(data ?? "");
  if (bytes === undefined) return { reason: "its answer has no payload" };
  if (dataCrc32c !== undefined && String(dataCrc32c) !== String(crc32c(bytes))) {
    return { reason: "its answer was damaged on the way: the checksum differs" };
  }
  try {
    return { value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { reason: "it is no text in UTF-8" };
  }
}

function decoded(base64: unknown): Uint8Array | undefined {
  if (typeof base64 !== "string") return undefined;
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

/** Castagnoli's polynomial, its bits reversed (RFC 3720 §12.1); bit by bit, as secrets are 64 KiB at most. */
const POLYNOMIAL = 0x82f63b78;

function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}
