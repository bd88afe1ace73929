import type { Clock } from "../../kernel/clock.ts";
import { lruCache } from "../../kernel/lru-cache.ts";
import type { WaitUntil } from "../../kernel/refreshing-cache.ts";
import { pollUntil } from "../../kernel/timers.ts";
import { inTime, LateError } from "./in-time.ts";
import type { ListKind } from "./kinds.ts";
import { isListOf, type UpstreamList } from "./upstream-list.ts";

export interface ListKey<K extends ListKind = ListKind> {
  /** Name of the app. */
  readonly app: string;
  /** Whose list it is: never that of two who could be shown different ones (checklist 39). */
  readonly principal: string;
  readonly kind: K;
}

export interface GetOptions<K extends ListKind> {
  readonly load: () => Promise<UpstreamList<K>>;
  readonly waitUntil: WaitUntil;
  /** How long the caller waits for a list that is not there, milliseconds. */
  readonly deadline: number;
}

/** Lists of upstreams, kept for the next who ask. */
export interface Catalogs {
  /**
   * A list: as kept, or read anew. One that is older than its time is handed out and read anew in the background. What
   * arrives after the deadline is kept for the next time.
   *
   * @throws {LateError} when it did not come in time
   * @throws what `load` rejects with
   */
  get<K extends ListKind>(key: ListKey<K>, options: GetOptions<K>): Promise<UpstreamList<K>>;
  /**
   * A list read anew, or as kept where that was read, or tried to be, a moment ago and the upstream has not said since that it
   * changed. Rejects as `get` does.
   */
  renew<K extends ListKind>(key: ListKey<K>, options: GetOptions<K>): Promise<UpstreamList<K>>;
  /**
   * A list that the upstream told no longer than so many milliseconds ago and has not changed since, as far as it said; or read anew.
   * Rejects as `get` does.
   */
  within<K extends ListKind>(key: ListKey<K>, maxAge: number, options: GetOptions<K>): Promise<UpstreamList<K>>;
  /** A list that is kept and not out of date. */
  fresh<K extends ListKind>(key: ListKey<K>): UpstreamList<K> | undefined;
  /** What was known last, also where it is out of date; undefined: nothing, or nothing lately. */
  last<K extends ListKind>(key: ListKey<K>): UpstreamList<K> | undefined;
  /** The list that was read last for anybody; undefined: none was kept. For what may be told of no one in particular. */
  latest<K extends ListKind>(app: string, kind: K): UpstreamList<K> | undefined;
  /** Everybody's list of an app is out of date (`list_changed`), also those that are on their way. */
  invalidate(app: string, kind: ListKind): void;
}

export interface CatalogLimits {
  /** Characters of JSON that are kept together. */
  readonly total: number;
  /** Those of one list; a longer one is not kept. */
  readonly each: number;
}

const MEBI = 1024 * 1024;
const LIMITS: CatalogLimits = { total: 64 * MEBI, each: 32 * MEBI };
/** What a list without entries counts as: keys take room too. */
const OVERHEAD = 500;

export function createCatalogs(clock: Clock, { total, each }: CatalogLimits = LIMITS): Catalogs {
  const lists = lruCache<string, KeptList>(total, ({ list }) => list.weight + OVERHEAD);
  /** By app and kind: bounded by the configuration. */
  const changes = new Map<string, number>();
  const latest = new Map<string, UpstreamList>();
  /** By list: the readings that are on their way. */
  const reading = new Map<string, Reading>();
  let attempts = 0;

  const changesOf = ({ app, kind }: Pick<ListKey, "app" | "kind">) => changes.get(JSON.stringify([app, kind])) ?? 0;

  /** Keeps what comes, and rejects as `load` does. */
  async function read<K extends ListKind>(key: ListKey<K>, load: GetOptions<K>["load"]): Promise<UpstreamList<K>> {
    const attempt = ++attempts;
    const changesBefore = changesOf(key);
    const mine = { beganAt: clock.now(), changes: changesBefore };
    reading.set(idOf(key), mine);
    const list = await load().finally(() => {
      if (reading.get(idOf(key)) === mine) reading.delete(idOf(key));
    });
    const known = lists.get(idOf(key));
    const isOvertaken = known !== undefined && known.attempt > attempt;
    if (list.weight <= each) latest.set(JSON.stringify([key.app, key.kind]), list);
    if (list.weight > each) lists.delete(idOf(key));
    else if (!isOvertaken)
      lists.put(idOf(key), {
        list,
        beganAt: mine.beganAt,
        keptAt: clock.now(),
        attempt,
        changes: changesBefore,
      });
    return list;
  }

  function refresh<K extends ListKind>(key: ListKey<K>, kept: KeptList, { load, waitUntil }: GetOptions<K>): void {
    if (!isRefreshDue(kept, clock.now())) return;
    lists.put(idOf(key), { ...kept, refreshedAt: clock.now() });
    waitUntil(read(key, load).then(ignored));
  }

  function fresh<K extends ListKind>(key: ListKey<K>): UpstreamList<K> | undefined {
    const kept = lists.get(idOf(key));
    const isUsable = kept !== undefined && isFresh(kept, clock.now(), changesOf(key));
    return isUsable && isListOf(key.kind, kept.list) ? kept.list : undefined;
  }

  /** Whether somebody else is reading the list as it is now, and may still be expected to bring it. */
  function isOnItsWay(key: ListKey, deadline: number): boolean {
    const other = reading.get(idOf(key));
    return other !== undefined && other.changes === changesOf(key) && Math.abs(clock.now() - other.beganAt) < deadline;
  }

  /**
   * What somebody else who is reading brings, as far as it was kept, or else a list that is read for this caller: of a list of
   * megabytes that many ask for at once, one reading is enough. Whoever fails fails alone.
   *
   * @param brought what may be handed out by now
   */
  async function shared<K extends ListKind>(
    key: ListKey<K>,
    { load, deadline }: GetOptions<K>,
    brought: () => UpstreamList<K> | undefined,
  ): Promise<UpstreamList<K>> {
    if (!isOnItsWay(key, deadline) || lists.get(idOf(key))?.list.ttl === 0) return read(key, load);
    const hasEnded = await pollUntil(() => !isOnItsWay(key, deadline), deadline);
    const list = brought();
    if (list !== undefined) return list;
    if (!hasEnded) throw new LateError(deadline);
    return read(key, load);
  }

  /** A list that was read, or tried to be, a moment ago. */
  function recent<K extends ListKind>(key: ListKey<K>): UpstreamList<K> | undefined {
    const kept = lists.get(idOf(key));
    if (kept === undefined || kept.changes !== changesOf(key) || isRenewable(kept, clock.now())) return undefined;
    return isListOf(key.kind, kept.list) ? kept.list : undefined;
  }

  return {
    fresh,
    async get(key, options) {
      const known = fresh(key);
      if (known !== undefined) return known;
      const kept = lists.get(idOf(key));
      if (kept !== undefined && isListOf(key.kind, kept.list) && isGoodMeanwhile(kept, clock.now(), changesOf(key))) {
        refresh(key, kept, options);
        return kept.list;
      }
      const work = shared(key, options, () => fresh(key));
      // The caller learns why it failed; that it failed after it was late, nobody has to.
      options.waitUntil(work.then(ignored, ignored));
      return inTime(options.deadline, work);
    },
    async renew(key, options) {
      const known = recent(key);
      if (known !== undefined) return known;
      const kept = lists.get(idOf(key));
      if (kept !== undefined) lists.put(idOf(key), { ...kept, refreshedAt: clock.now() });
      const work = kept === undefined ? shared(key, options, () => recent(key)) : read(key, options.load);
      options.waitUntil(work.then(ignored, ignored));
      return inTime(options.deadline, work);
    },
    async within(key, maxAge, options) {
      const young = () => {
        const kept = lists.get(idOf(key));
        if (kept === undefined || !isYoung(kept, maxAge, clock.now(), changesOf(key))) return undefined;
        return isListOf(key.kind, kept.list) ? kept.list : undefined;
      };
      const known = young();
      if (known !== undefined) return known;
      const work = shared(key, options, young);
      options.waitUntil(work.then(ignored, ignored));
      return inTime(options.deadline, work);
    },
    last(key) {
      const kept = lists.get(idOf(key));
      const isUsable = kept !== undefined && isBetterThanNothing(kept, clock.now());
      return isUsable && isListOf(key.kind, kept.list) ? kept.list : undefined;
    },
    latest(app, kind) {
      const list = latest.get(JSON.stringify([app, kind]));
      return list !== undefined && isListOf(kind, list) ? list : undefined;
    },
    invalidate(app, kind) {
      changes.set(JSON.stringify([app, kind]), changesOf({ app, kind }) + 1);
    },
  };
}

/** Plain data: whoever waits for a reading of another request looks now and then whether it has ended (D29). */
interface Reading {
  /** Milliseconds since the epoch. */
  readonly beganAt: number;
  /** How often the upstream had said that the list changed. */
  readonly changes: number;
}

function idOf({ app, principal, kind }: ListKey): string {
  return JSON.stringify([app, kind, principal]);
}

function ignored(): undefined {
  return undefined;
}

/** A list that was read, with what its age is told by: plain data (D29), times in milliseconds since the epoch. */
interface KeptList {
  readonly list: UpstreamList;
  /** When it was asked for: what changed later may be missing. */
  readonly beganAt: number;
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

function isFresh({ list, keptAt, changes }: KeptList, now: number, changesByNow: number): boolean {
  return changes === changesByNow && now < keptAt + list.ttl && now >= keptAt;
}

function isYoung({ beganAt, changes }: KeptList, maxAge: number, now: number, changesByNow: number): boolean {
  return changes === changesByNow && now >= beganAt && now - beganAt < maxAge;
}

/**
 * Whether it may be handed out while it is read anew. Not where the upstream said that it changed, nor where it said that
 * it is never to be kept.
 */
function isGoodMeanwhile(kept: KeptList, now: number, changesByNow: number): boolean {
  return kept.changes === changesByNow && kept.list.ttl > 0 && isBetterThanNothing(kept, now);
}

/** Whether it may stand in for one that cannot be had. A clock that was set back makes nothing younger. */
function isBetterThanNothing({ list, keptAt }: KeptList, now: number): boolean {
  return now >= keptAt && now < keptAt + list.ttl + GRACE;
}

function isRenewable(kept: KeptList, now: number): boolean {
  return isRefreshDue(kept, now) && Math.abs(now - kept.keptAt) >= PAUSE;
}

function isRefreshDue({ refreshedAt }: KeptList, now: number): boolean {
  return refreshedAt === undefined || Math.abs(now - refreshedAt) >= PAUSE;
}
