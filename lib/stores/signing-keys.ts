import type { PublicKeyJwk } from "../protocol/oauth/public-key.ts";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read } from "./operations.ts";

/** A key pair of the service itself. Times in milliseconds since the epoch. */
export interface SigningKeyRecord {
  /** RFC 7638 SHA-256 thumbprint, base64url. */
  readonly keyId: string;
  readonly algorithm: "ES256";
  readonly publicKey: PublicKeyJwk;
  /** The private key, encrypted; no store can read it. */
  readonly sealedPrivateKey: string;
  /** In the JWKS document from here on. */
  readonly publishedAt: number;
  /** Signs from here on, once caches of the document know it. */
  readonly signsFrom: number;
  /** Signs no more from here on; absent while no successor is there. */
  readonly retiresAt?: number;
  /** Leaves the document then: the last token it signed has expired. Present together with `retiresAt`. */
  readonly removedAt?: number;
}

/** The region's signing keys, as one document. */
export interface KeySet {
  /** Grows by one with each change; 0: there never was one. */
  readonly revision: number;
  readonly keys: readonly SigningKeyRecord[];
}

/** Compare-and-set, so that of many instances that rotate at once one does. Linearizable. */
export const SIGNING_KEYS = {
  read: read<() => KeySet>(),
  /** Resolves to false, and changes nothing, when the revision is another. The event, `signing_keys.changed`, is durable with it. */
  replace: once<(expectedRevision: number, keys: readonly SigningKeyRecord[], event: AuditEvent) => boolean>(),
};

export type SigningKeys = Port<typeof SIGNING_KEYS>;
