import type {
  ConnectionFacts,
  ConnectionKey,
  ConnectionRecord,
  RefreshIntent,
  RefreshOutcome,
  SealedTokens,
} from "./connections.ts";
import { cursorOf } from "./paging.ts";

// What a connection becomes, the same on every engine. Undefined: nothing changes.

/** With the intent in it. */
export function begun(record: ConnectionRecord | undefined, intent: RefreshIntent): ConnectionRecord | undefined {
  if (record?.connectionId !== intent.connectionId || record.attempt !== intent.formerAttempt) return undefined;
  if (record.state === "deleted" || record.state === "reconnect") return undefined;
  if (record.leaseUntil !== undefined && record.leaseUntil > intent.now) return undefined;
  const { retryAt, ...kept } = record;
  const { spentDigest, leaseUntil } = intent;
  return { ...kept, state: "refreshing", spentDigest, leaseUntil, attempt: record.attempt + 1 };
}

export function settled(record: ConnectionRecord | undefined, outcome: RefreshOutcome): ConnectionRecord | undefined {
  const { change } = outcome;
  if (record?.connectionId !== outcome.connectionId || record.spentDigest !== outcome.spentDigest) return undefined;
  if (record.state === "deleted") return undefined;
  const { leaseUntil, retryAt, refusals, expiresAt, spentDigest, ...kept } = record;
  if ("sealed" in change) return { ...kept, ...change };
  if (record.state !== "refreshing" || record.attempt !== outcome.attempt) return undefined;
  // The former pair stays as it is, and so does when its access token ends.
  const former = { ...kept, ...(expiresAt !== undefined && { expiresAt }), ...change };
  return change.state === "connected" ? former : { ...former, spentDigest };
}

export function used(
  record: ConnectionRecord | undefined,
  connectionId: string,
  usedAt: number,
): ConnectionRecord | undefined {
  if (record?.connectionId !== connectionId || record.state === "deleted") return undefined;
  return record.lastUsedAt < usedAt ? { ...record, lastUsedAt: usedAt } : undefined;
}

/** Who takes a connection back tells its provider at once. The others look at it after this time, milliseconds. */
export const TOLD_AT_ONCE = 60_000;

/** The tokens stay, for the request that takes them back. @param retryAt when the others look at it; absent: at once */
export function deleted(record: ConnectionRecord, deletedAt: number, retryAt = deletedAt): ConnectionRecord {
  const { leaseUntil, spentDigest, ...kept } = record;
  return { ...kept, state: "deleted", deletedAt, retryAt };
}

/** When the provider of a deleted one is to be told. */
export function dueAt({ deletedAt = 0, retryAt = deletedAt }: ConnectionRecord): number {
  return retryAt;
}

export function postponed(
  record: ConnectionRecord | undefined,
  connectionId: string,
  { from, to }: { readonly from: number; readonly to: number },
): ConnectionRecord | undefined {
  if (record?.connectionId !== connectionId || record.state !== "deleted") return undefined;
  return dueAt(record) === from ? { ...record, retryAt: to } : undefined;
}

export function rewrapped(
  record: ConnectionRecord | undefined,
  former: SealedTokens,
  next: SealedTokens,
): ConnectionRecord | undefined {
  if (record === undefined) return undefined;
  const { keyId, wrappedKey, tokens } = record.sealed;
  const isUnchanged = keyId === former.keyId && wrappedKey === former.wrappedKey && tokens === former.tokens;
  return isUnchanged ? { ...record, sealed: next } : undefined;
}

export function factsOf({ sealed, spentDigest, leaseUntil, ...facts }: ConnectionRecord): ConnectionFacts {
  return facts;
}

/** Where the list of an organization goes on: it is in this order on every engine that has it in one place. */
export function connectionCursor({ person, app, agent }: ConnectionKey): string {
  return cursorOf([person, app, agent]);
}

/** Where the list of what other keys seal goes on. */
export function sealedCursor({ sealed, organizationId, person, app, agent }: ConnectionRecord): string {
  return cursorOf([sealed.keyId, organizationId, person, app, agent]);
}
