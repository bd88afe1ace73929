import { base64url } from "../../lib/kernel/encoding.ts";
import { ulid, uuid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type {
  ConnectionFacts,
  ConnectionKey,
  ConnectionRecord,
  RefreshIntent,
  RefreshOutcome,
  SealedTokens,
} from "../../lib/stores/connections.ts";
import { personId } from "../../lib/stores/identities.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

export function newPerson(): string {
  return personId({ issuer: "https://accounts.example", subject: uuid(random) });
}

/** Tokens that nobody can open, under a vault key of their own. */
export function sealedTokens(fields: Partial<SealedTokens> = {}): SealedTokens {
  const text = (bytes: number): string => base64url(random.bytes(bytes));
  return { keyId: text(16), wrappedKey: text(60), tokens: text(400), ...fields };
}

/** A connection of a person and an organization of its own. */
export function connection(fields: Partial<ConnectionRecord> = {}): ConnectionRecord {
  const now = Date.now();
  return {
    organizationId: newOrganizationId(),
    person: newPerson(),
    app: "tickets",
    agent: "",
    connectionId: `connection_${ulid(now, random)}`,
    connector: "github",
    account: { id: "4711", label: 'Bücher \u{1F511} {"a":1}' },
    scopes: ["repo:read", "user"],
    sealed: sealedTokens(),
    expiresAt: now + 60 * MINUTE,
    canRefresh: true,
    state: "connected",
    attempt: 0,
    connectedAt: now,
    lastUsedAt: now,
    ...fields,
  };
}

export function keyOf({ organizationId, person, app, agent }: ConnectionKey): ConnectionKey {
  return { organizationId, person, app, agent };
}

export function factsIn({ sealed, spentDigest, leaseUntil, ...facts }: ConnectionRecord): ConnectionFacts {
  return facts;
}

/** In the connection's organization. */
export function connectionEvent(
  { organizationId }: ConnectionKey,
  type: AuditEvent["type"] = "connection.completed",
): AuditEvent {
  return auditEvent({ type, organizationId });
}

export async function connected(stores: Stores, fields: Partial<ConnectionRecord> = {}): Promise<ConnectionRecord> {
  const record = connection(fields);
  await stores.connections.connect(record, connectionEvent(record));
  return record;
}

/** Half a minute's lease of the connection as it was read. */
export function intentOf(record: ConnectionRecord, fields: Partial<RefreshIntent> = {}): RefreshIntent {
  const now = Date.now();
  return {
    key: keyOf(record),
    connectionId: record.connectionId,
    spentDigest: base64url(random.bytes(32)),
    formerAttempt: record.attempt,
    leaseUntil: now + 30_000,
    now,
    ...fields,
  };
}

/** What became of the attempt that the intent began. */
export function outcomeOf(intent: RefreshIntent, change: RefreshOutcome["change"]): RefreshOutcome {
  const { key, connectionId, spentDigest, formerAttempt } = intent;
  return { key, connectionId, spentDigest, attempt: formerAttempt + 1, change };
}

export function newPair(fields: object = {}) {
  return { state: "connected", sealed: sealedTokens(), scopes: ["repo:read"], canRefresh: true, ...fields } as const;
}
