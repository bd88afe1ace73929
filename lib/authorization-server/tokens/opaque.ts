import { sha256base64url } from "#sha256";
import { base62, crc32 } from "../../kernel/checksum.ts";
import { base64url } from "../../kernel/encoding.ts";
import type { Random } from "../../kernel/random.ts";
import type { TokenReference } from "../../stores/tokens.ts";

/** Values of one form, told apart by their prefixes: access tokens, authorization codes and refresh tokens. */
export type OpaqueKind = "token" | "code" | "refresh";

/** A new opaque token (D9). `text` goes to the client and nowhere else; `reference` is all that a store may keep. */
export interface MintedToken {
  readonly text: string;
  readonly reference: TokenReference;
}

/**
 * `cst_<region>_<shard, 2 hex><secret, 43 base64url><CRC-32 of what precedes, 6 base62>`: 256 random bits, a prefix that
 * secret scanners know, and a checksum that tells a typo from a token without a read (D9).
 */
export function mintToken(region: string, shard: number, random: Random, kind: OpaqueKind = "token"): MintedToken {
  const secret = base64url(random.bytes(SECRET_BYTES));
  const body = `${tokenPrefix(region, kind)}${shard.toString(16).padStart(2, "0")}${secret}`;
  const text = body + base62(crc32(body), CHECKSUM_LENGTH);
  return { text, reference: { shard, hash: sha256base64url(text) } };
}

/** What every opaque token of the region begins with. */
export function tokenPrefix(region: string, kind: OpaqueKind = "token"): string {
  return `${PREFIXES[kind]}_${region}_`;
}

/** Where a token would live. Undefined when the text cannot be a token: wrong form or checksum. Nothing is read. */
export function tokenReference(text: string, kind: OpaqueKind = "token"): TokenReference | undefined {
  const match = text.length <= MAX_LENGTH ? FORM.exec(text) : null;
  if (match === null || !text.startsWith(`${PREFIXES[kind]}_`)) return undefined;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  if (text.slice(-CHECKSUM_LENGTH) !== base62(crc32(body), CHECKSUM_LENGTH)) return undefined;
  return { shard: Number.parseInt(match[1] as string, 16), hash: sha256base64url(text) };
}

const SECRET_BYTES = 32;
const CHECKSUM_LENGTH = 6;
const MAX_LENGTH = 256;
const PREFIXES: Readonly<Record<OpaqueKind, string>> = { token: "cst", code: "csc", refresh: "csr" };
const FORM = /^cs[tcr]_[\x21-\x7e]+_([0-9a-f]{2})[A-Za-z0-9_-]{43}[0-9A-Za-z]{6}$/;
