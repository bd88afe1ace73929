import { sha256 } from "#sha256";
import { base64url, fromBase64url, utf8 } from "../../lib/kernel/encoding.ts";

/** An authenticator in this process (WebAuthn Level 3 §6): makes a discoverable passkey and uses it. */
export interface Authenticator {
  /** What a browser answers to the options of a registration, or what the overrides make of it. */
  register(options: CreationOptions, ceremony: Ceremony): Promise<RegistrationAnswer>;
  /** What it answers to the options of a sign-in. */
  authenticate(options: RequestOptions, ceremony: Ceremony): Promise<AuthenticationAnswer>;
  /** The id of the passkey. */
  readonly credentialId: string;
}

export interface CreationOptions {
  readonly challenge: string;
  readonly rp: { readonly id: string };
  readonly user: { readonly id: string };
}

export interface RequestOptions {
  readonly challenge: string;
  readonly rpId: string;
}

/** The page that the ceremony happens on, and what the authenticator says of itself. */
export interface Ceremony {
  readonly origin: string;
  /** Signature counter; 0 unless stated, as passkeys that are synchronised have it. */
  readonly counter?: number;
  /** Whether it checked who uses it; it did unless stated. */
  readonly isVerified?: boolean;
  /** Members of `clientDataJSON` that replace the usual ones. */
  readonly clientData?: Readonly<Record<string, unknown>>;
  /** The host that it takes the site to be. */
  readonly rpId?: string;
  /** Attestation statement and its format; none unless stated; `self`: signed by the new key. */
  readonly attestation?: "self" | { readonly format: string; readonly statement: Readonly<Record<string, CborValue>> };
}

export interface RegistrationAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: {
    readonly clientDataJSON: string;
    readonly attestationObject: string;
    readonly transports: readonly string[];
  };
  readonly clientExtensionResults: object;
}

export interface AuthenticationAnswer {
  readonly id: string;
  readonly rawId: string;
  readonly type: "public-key";
  readonly response: {
    readonly clientDataJSON: string;
    readonly authenticatorData: string;
    readonly signature: string;
    readonly userHandle: string;
  };
  readonly clientExtensionResults: object;
}

export async function createAuthenticator(algorithm: Algorithm = "ES256"): Promise<Authenticator> {
  const key = await KEYS[algorithm]();
  const id = crypto.getRandomValues(new Uint8Array(32));
  const credentialId = base64url(id);
  const credential = { id: credentialId, rawId: credentialId, type: "public-key", clientExtensionResults: {} } as const;
  let userHandle = "";
  return {
    credentialId,
    register: async ({ challenge, rp, user }, ceremony) => {
      userHandle = user.id;
      const client = clientData("webauthn.create", challenge, ceremony);
      const attested = concat(new Uint8Array(16), uint16(id.length), id, cbor(key.cose));
      const authData = authenticatorData(rp.id, ceremony, attested);
      const signed = concat(authData, sha256(client));
      const { format, statement } =
        ceremony.attestation === "self"
          ? { format: "packed", statement: { alg: ALGORITHMS[algorithm], sig: await key.sign(signed) } }
          : (ceremony.attestation ?? { format: "none", statement: {} });
      const attestation = { fmt: format, attStmt: new Map(Object.entries(statement)), authData };
      const response = {
        clientDataJSON: base64url(client),
        attestationObject: base64url(cbor(new Map<CborKey, CborValue>(Object.entries(attestation)))),
        transports: ["internal", "hybrid"],
      };
      return { ...credential, response };
    },
    authenticate: async ({ challenge, rpId }, ceremony) => {
      const data = authenticatorData(rpId, ceremony);
      const client = clientData("webauthn.get", challenge, ceremony);
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(await key.sign(concat(data, sha256(client)))),
        userHandle,
      };
      return { ...credential, response };
    },
  };
}

type Algorithm = keyof typeof ALGORITHMS;

/** COSE numbers (RFC 9053, RFC 8812). */
const ALGORITHMS = { ES256: -7, EdDSA: -8, RS256: -257 } as const;

interface Key {
  readonly cose: ReadonlyMap<CborKey, CborValue>;
  sign(data: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>;
}

/** Keys as authenticators have them: COSE_Key (RFC 9052 §7), and signatures as WebAuthn wants them (§6.5.5). */
const KEYS: Readonly<Record<Algorithm, () => Promise<Key>>> = {
  ES256: async () => {
    const key = await newKey({ name: "ECDSA", namedCurve: "P-256" });
    const numbers = [
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, bytes(key.jwk.x)],
      [-3, bytes(key.jwk.y)],
    ] as const;
    return {
      cose: new Map<CborKey, CborValue>(numbers),
      sign: async (data) => der(await key.sign({ name: "ECDSA", hash: "SHA-256" }, data)),
    };
  },
  EdDSA: async () => {
    const key = await newKey({ name: "Ed25519" });
    const numbers = [
      [1, 1],
      [3, -8],
      [-1, 6],
      [-2, bytes(key.jwk.x)],
    ] as const;
    return { cose: new Map<CborKey, CborValue>(numbers), sign: (data) => key.sign({ name: "Ed25519" }, data) };
  },
  RS256: async () => {
    const name = "RSASSA-PKCS1-v1_5";
    const publicExponent = new Uint8Array([1, 0, 1]);
    const key = await newKey({ name, modulusLength: 2_048, publicExponent, hash: "SHA-256" });
    const numbers = [
      [1, 3],
      [3, -257],
      [-1, bytes(key.jwk.n)],
      [-2, bytes(key.jwk.e)],
    ] as const;
    return { cose: new Map<CborKey, CborValue>(numbers), sign: (data) => key.sign({ name }, data) };
  },
};

async function newKey(parameters: EcKeyGenParams | RsaHashedKeyGenParams | { readonly name: "Ed25519" }) {
  const pair = (await crypto.subtle.generateKey(parameters, true, ["sign", "verify"])) as CryptoKeyPair;
  return {
    jwk: await crypto.subtle.exportKey("jwk", pair.publicKey),
    sign: async (how: EcdsaParams | { readonly name: string }, data: Uint8Array<ArrayBuffer>) =>
      new Uint8Array(await crypto.subtle.sign(how, pair.privateKey, data)),
  };
}

function clientData(type: string, challenge: string, { origin, clientData: more }: Ceremony): Uint8Array<ArrayBuffer> {
  return utf8(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
}

/** §6.1: hash of the relying party's id, flags, counter, and with a new passkey its key. */
function authenticatorData(rpId: string, ceremony: Ceremony, attested?: Uint8Array): Uint8Array<ArrayBuffer> {
  const { counter = 0, isVerified = true } = ceremony;
  const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested === undefined ? 0 : 0x40);
  const count = new Uint8Array(4);
  new DataView(count.buffer).setUint32(0, counter);
  return concat(sha256(ceremony.rpId ?? rpId), new Uint8Array([flags]), count, attested ?? new Uint8Array());
}

type CborKey = string | number;
export type CborValue = string | number | Uint8Array | readonly CborValue[] | ReadonlyMap<CborKey, CborValue>;

/** RFC 8949 §3, as far as it is needed here. */
function cbor(value: CborValue): Uint8Array<ArrayBuffer> {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string") return concat(head(3, utf8(value).length), utf8(value));
  if (value instanceof Uint8Array) return concat(head(2, value.length), value);
  if (value instanceof Map) {
    return concat(head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)]));
  }
  const items = value as readonly CborValue[];
  return concat(head(4, items.length), ...items.map(cbor));
}

function head(major: number, argument: number): Uint8Array<ArrayBuffer> {
  if (argument < 24) return new Uint8Array([(major << 5) | argument]);
  if (argument < 256) return new Uint8Array([(major << 5) | 24, argument]);
  return concat(new Uint8Array([(major << 5) | 25]), uint16(argument));
}

/** An ECDSA signature as WebAuthn has it (RFC 3279 §2.2.3), from the two numbers side by side. */
function der(signature: Uint8Array): Uint8Array<ArrayBuffer> {
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(integer);
  const body = concat(r as Uint8Array, s as Uint8Array);
  return concat(new Uint8Array([0x30, body.length]), body);
}

function integer(number: Uint8Array): Uint8Array<ArrayBuffer> {
  const start = number.findIndex((byte) => byte !== 0);
  const digits = number.subarray(start === -1 ? number.length - 1 : start);
  const padded = (digits[0] as number) >= 0x80 ? concat(new Uint8Array(1), digits) : digits;
  return concat(new Uint8Array([0x02, padded.length]), padded);
}

function uint16(value: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array([value >> 8, value & 0xff]);
}

function concat(...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function bytes(text: string | undefined): Uint8Array {
  return fromBase64url(text ?? "") ?? new Uint8Array();
}
