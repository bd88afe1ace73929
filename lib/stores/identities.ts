import { sha256base64url } from "#sha256";
import type { AuditEvent } from "./audit-log.ts";
import { once, type Port, read } from "./operations.ts";

/** A person's account at a connector. Linked by the person; an e-mail address alone links nothing. */
export interface IdentityRecord {
  /** As the connector's ID tokens spell them. */
  readonly issuer: string;
  readonly subject: string;
  readonly userId: string;
  /** Name of the connector at that time. */
  readonly connector: string;
  /** What the connector called the account then, for people: an address or a name, cut to 200 characters. */
  readonly label?: string;
  readonly createdAt: number;
}

export type IdentityKey = Pick<IdentityRecord, "issuer" | "subject">;

/**
 * The id of a person who signs in with an account, linked or not: `user_…`. It is the same in every region and for every client,
 * and does not reveal who the person is. No client id has this form.
 */
export function personId({ issuer, subject }: IdentityKey): string {
  return `user_${sha256base64url(JSON.stringify([issuer, subject]))}`;
}

/** Linearizable. An event becomes durable together with its change. */
export const IDENTITIES = {
  /** False, and nothing is written, when the account is linked already, with whomever. */
  linkIdentity: once<(identity: IdentityRecord, event: AuditEvent) => boolean>(),
  findIdentity: read<(key: IdentityKey) => IdentityRecord | undefined>(),
  /** Oldest first. */
  listIdentities: read<(userId: string) => readonly IdentityRecord[]>(),
  /** False when the person has no such identity. */
  unlinkIdentity: once<(userId: string, key: IdentityKey, event: AuditEvent) => boolean>(),
};

export type Identities = Port<typeof IDENTITIES>;
