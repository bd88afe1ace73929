import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read } from "./operations.ts";

/** A person's passkey (WebAuthn Level 3 §4, credential record). */
export interface PasskeyRecord {
  /** The credential id, base64url. */
  readonly credentialId: string;
  readonly userId: string;
  /** What the person calls it. */
  readonly name: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** Signature counter; authenticators that have none leave it 0. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** Whether it may be on several devices, and is (backup eligibility and state). */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: number;
  readonly lastUsedAt?: number;
}

export interface PasskeyUse {
  readonly credentialId: string;
  /** The counter that the signature was checked against. */
  readonly formerCounter: number;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly usedAt: number;
}

/** Linearizable. An event becomes durable together with its change. */
export const PASSKEYS = {
  /** False, and nothing is written, when the credential id exists. */
  addPasskey: once<(passkey: PasskeyRecord, event: AuditEvent) => boolean>(),
  getPasskey: read<(credentialId: string) => PasskeyRecord | undefined>(),
  /** Oldest first. */
  listPasskeys: read<(userId: string) => readonly PasskeyRecord[]>(),
  /** False when the passkey is gone, or its counter is no longer the former one: somebody else used it meanwhile. */
  notePasskeyUse: once<(use: PasskeyUse) => boolean>(),
  /** False when the person has no such passkey. */
  removePasskey: once<(userId: string, credentialId: string, event: AuditEvent) => boolean>(),
};

export type Passkeys = Port<typeof PASSKEYS>;
