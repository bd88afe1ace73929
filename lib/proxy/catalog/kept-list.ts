import type { UpstreamList } from "./upstream-list.ts";

/** A list that was read, with what its age is told by: plain data (D29), times in milliseconds since the epoch. */
export interface KeptList {
  readonly list: UpstreamList;
  readonly keptAt: number;
  /** Which attempt brought it: of two that ran side by side the later one's counts. */
  readonly attempt: number;
  /** How often the upstream had said that the list changed, when the attempt began. */
  readonly changes: number;
  /** When somebody last began to read it anew; absent: nobody did. */
  readonly refreshedAt?: number;
}

/** How long after its time a list stands in for one that cannot be had, milliseconds. */
const GRACE = 10 * 60_000;
/** An attempt to read a list anew is followed by another one after that at the earliest, milliseconds. */
const PAUSE = 10_000;

export function isFresh({ list, keptAt, changes }: KeptList, now: number, changesByNow: number): boolean {
  return changes === changesByNow && now < keptAt + list.ttl && now >= keptAt;
}

/**
 * Whether it may be handed out while it is read anew. Not where the upstream said that it changed, nor where it said that
 * it is never to be kept.
 */
export function isGoodMeanwhile(kept: KeptList, now: number, changesByNow: number): boolean {
  return kept.changes === changesByNow && kept.list.ttl > 0 && isBetterThanNothing(kept, now);
}

/** Whether it may stand in for one that cannot be had. A clock that was set back makes nothing younger. */
export function isBetterThanNothing({ list, keptAt }: KeptList, now: number): boolean {
  return now >= keptAt && now < keptAt + list.ttl + GRACE;
}

export function isRefreshDue({ refreshedAt }: KeptList, now: number): boolean {
  return refreshedAt === undefined || Math.abs(now - refreshedAt) >= PAUSE;
}
