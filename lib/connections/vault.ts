import { sha256base64url } from "#sha256";
import { base64url, concatenated, fromBase64url, utf8 } from "../kernel/encoding.ts";
import { parseJsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import type { ConnectionKey, SealedTokens } from "../stores/connections.ts";

/** What a provider gave for a person's account, as it is sealed. */
export interface ConnectionTokens {
  readonly accessToken: string;
  readonly refreshToken?: string;
  /** Of the provider that gave them; absent: it is known by none. A refresh token goes back to nobody else. */
  readonly issuer?: string;
  /** Where it gave them; present where there is no issuer. */
  readonly tokenURL?: string;
  /** Who we are there. */
  readonly clientID: string;
}

/**
 * Seals the tokens of connections (D211). Each record has a data key of its own, which seals the tokens; a vault key wraps the data
 * key. Both are tied to what the record is of: a record that somebody moved to another person's row does not open.
 */
export interface Vault {
  /** Names the key that seals. */
  readonly keyId: string;
  seal(tokens: ConnectionTokens, of: ConnectionKey): Promise<SealedTokens>;
  /** Undefined when none of the keys is the record's, or when it was altered or belongs to another row. */
  open(sealed: SealedTokens, of: ConnectionKey): Promise<ConnectionTokens | undefined>;
  /** The same tokens, their data key wrapped by the key that seals; they stay sealed meanwhile. Undefined as with `open`. */
  rewrap(sealed: SealedTokens, of: ConnectionKey): Promise<SealedTokens | undefined>;
}

/**
 * @param keys 32 bytes each, base64url: the first seals, all open
 * @param region records of one region open in no other
 * @throws Error where there is no key, or one of another length
 */
export function createVault(keys: readonly string[], region: string, random: Random): Vault {
  const known = keys.map(vaultKey);
  const [sealing] = known;
  if (sealing === undefined) throw new Error("the vault has no key");

  const openDataKey = async ({ keyId, wrappedKey }: SealedTokens, bound: Uint8Array<ArrayBuffer>) => {
    const key = known.find(({ id }) => id === keyId);
    return key && decrypt(await key.imported(), wrappedKey, bound);
  };
  const wrap = async (dataKey: Uint8Array<ArrayBuffer>, bound: Uint8Array<ArrayBuffer>) => ({
    keyId: sealing.id,
    wrappedKey: await encrypt(await sealing.imported(), dataKey, bound, random),
  });

  return {
    keyId: sealing.id,
    async seal(tokens, of) {
      const dataKey = random.bytes(KEY_BYTES);
      const bound = boundTo(of, region);
      const sealed = await encrypt(await importKey(dataKey), utf8(JSON.stringify(tokens)), bound, random);
      return { ...(await wrap(dataKey, bound)), tokens: sealed };
    },
    async open(sealed, of) {
      const bound = boundTo(of, region);
      const dataKey = await openDataKey(sealed, bound);
      if (dataKey === undefined) return undefined;
      const text = await decrypt(await importKey(dataKey), sealed.tokens, bound);
      return text && tokensOf(text);
    },
    async rewrap(sealed, of) {
      const bound = boundTo(of, region);
      const dataKey = await openDataKey(sealed, bound);
      return dataKey && { ...(await wrap(dataKey, bound)), tokens: sealed.tokens };
    },
  };
}

interface VaultKey {
  /** The beginning of a hash of the key: it tells keys apart, and nothing of them. */
  readonly id: string;
  readonly imported: () => Promise<CryptoKey>;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const VERSION = "countersign connection 1";

/** Imported at the first use, and kept: the key, not its promise, which would belong to the request that made it (D29). */
function vaultKey(text: string): VaultKey {
  const bytes = fromBase64url(text);
  if (bytes?.length !== KEY_BYTES) throw new Error("a key of the vault has not 32 bytes");
  let imported: CryptoKey | undefined;
  return {
    id: sha256base64url(`countersign vault key ${text}`).slice(0, 16),
    imported: async () => {
      imported ??= await importKey(bytes);
      return imported;
    },
  };
}

function importKey(bytes: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Additional data (NIST SP 800-38D): what the record is of, as one text. */
function boundTo({ organizationId, person, app, agent }: ConnectionKey, region: string): Uint8Array<ArrayBuffer> {
  return utf8(JSON.stringify([VERSION, region, organizationId, person, app, agent]));
}

/** AES-256-GCM. @returns base64url of a random nonce of 96 bits and the ciphertext */
async function encrypt(
  key: CryptoKey,
  content: Uint8Array<ArrayBuffer>,
  bound: Uint8Array<ArrayBuffer>,
  random: Random,
): Promise<string> {
  const iv = random.bytes(NONCE_BYTES);
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bound }, key, content);
  return base64url(concatenated([iv, new Uint8Array(sealed)]));
}

async function decrypt(
  key: CryptoKey,
  sealed: string,
  bound: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const bytes = fromBase64url(sealed);
  if (bytes === undefined || bytes.length <= NONCE_BYTES) return undefined;
  const parameters = { name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES), additionalData: bound };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, bytes.slice(NONCE_BYTES)));
  } catch (error) {
    // WebCrypto's word for a tag that does not fit.
    if (error instanceof Error && error.name === "OperationError") return undefined;
    throw error;
  }
}

function tokensOf(text: Uint8Array<ArrayBuffer>): ConnectionTokens | undefined {
  const tokens = parseJsonObject(text);
  if (typeof tokens?.accessToken !== "string" || typeof tokens.clientID !== "string") return undefined;
  return tokens as unknown as ConnectionTokens;
}
