import { listOf, type Shape, TIME } from "./common.ts";

const KEY_PAIR_MEMBERS = {
  keyPairId: { type: "string", description: "`key_<uuid>`." },
  fingerprint: { type: "string", description: "SHA-256 thumbprint (RFC 7638), base64url; also the key's `kid`." },
  status: { enum: ["active", "revoked"] },
  createdAt: TIME,
  lastUsedAt: { ...TIME, description: "The hour in which it last brought a token; absent before the first one." },
  revokedAt: TIME,
} as const;

/** A key pair without its private key. */
export const KEY_PAIR = {
  title: "KeyPair",
  type: "object",
  properties: KEY_PAIR_MEMBERS,
  required: ["keyPairId", "fingerprint", "status", "createdAt"],
  additionalProperties: false,
} as const;

/** The answer that has the private key of a generated pair; nothing else ever has. */
export const ADDED_KEY_PAIR = {
  title: "AddedKeyPair",
  type: "object",
  properties: {
    ...KEY_PAIR_MEMBERS,
    privateKey: {
      type: "string",
      description:
        "PKCS#8 PEM of a generated pair, in this answer and never again; absent when a public key was registered.",
    },
  },
  required: ["keyPairId", "fingerprint", "status", "createdAt"],
  additionalProperties: false,
} as const;

export const KEY_PAIR_LIST = listOf("KeyPairList", KEY_PAIR);

/** Without members it asks for a generated pair, as no body at all does. */
export const NEW_KEY_PAIR = {
  title: "NewKeyPair",
  type: "object",
  properties: {
    publicKey: {
      description: "An ES256 public key to register, as PEM (SPKI) or JWK; absent: a pair is generated.",
      type: ["string", "object"],
    },
  },
  additionalProperties: false,
} as const;

export const REVOKED_KEY_PAIR = {
  title: "RevokedKeyPair",
  type: "object",
  properties: { status: { enum: ["active", "revoked"] } },
  required: ["status"],
  additionalProperties: false,
} as const;

export type KeyPair = Shape<typeof KEY_PAIR>;
export type AddedKeyPair = Shape<typeof ADDED_KEY_PAIR>;
export type KeyPairList = Shape<typeof KEY_PAIR_LIST>;
export type NewKeyPair = Shape<typeof NEW_KEY_PAIR>;
export type RevokedKeyPair = Shape<typeof REVOKED_KEY_PAIR>;
