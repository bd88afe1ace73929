import { base64url, fromBase64url, sha256, utf8 } from "../../lib/encoding.ts";

/** An authenticator in this process (WebAuthn Level 3 §6): makes discoverable ES256 passkeys and uses them. */
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
  /** Attestation statement and its format; none unless stated. */
  readonly attestation?: { readonly format: string; readonly statement: Readonly<Record<string, CborValue>> };
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

export async function createAuthenticator(): Promise<Authenticator> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", publicKey);
  const id = crypto.getRandomValues(new Uint8Array(32));
  const credentialId = base64url(id);
  let userHandle = "";
  return {
    credentialId,
    register: async ({ challenge, rp, user }, ceremony) => {
      userHandle = user.id;
      const coseKey = cbor(
        new Map<CborKey, CborValue>([
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, bytes(x)],
          [-3, bytes(y)],
        ]),
      );
      const attested = concat(new Uint8Array(16), uint16(id.length), id, coseKey);
      const { format = "none", statement = {} } = ceremony.attestation ?? {};
      const attestationObject = cbor(
        new Map<CborKey, CborValue>([
          ["fmt", format],
          ["attStmt", new Map(Object.entries(statement))],
          ["authData", authenticatorData(rp.id, ceremony, attested)],
        ]),
      );
      const response = {
        clientDataJSON: base64url(clientData("webauthn.create", challenge, ceremony)),
        attestationObject: base64url(attestationObject),
        transports: ["internal", "hybrid"],
      };
      return { id: credentialId, rawId: credentialId, type: "public-key", response, clientExtensionResults: {} };
    },
    authenticate: async ({ challenge, rpId }, ceremony) => {
      const data = authenticatorData(rpId, ceremony);
      const client = clientData("webauthn.get", challenge, ceremony);
      const signed = concat(data, sha256(client));
      const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, signed);
      const response = {
        clientDataJSON: base64url(client),
        authenticatorData: base64url(data),
        signature: base64url(der(new Uint8Array(signature))),
        userHandle,
      };
      return { id: credentialId, rawId: credentialId, type: "public-key", response, clientExtensionResults: {} };
    },
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

function bytes(text: string): Uint8Array {
  return fromBase64url(text) ?? new Uint8Array();
}
