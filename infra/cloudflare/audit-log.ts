import { addTallies, auditDay } from "../../lib/audit/sharding.ts";
import { isUlid, smallestUlid, ulidTime } from "../../lib/kernel/ids.ts";
import {
  type AuditEvent,
  type AuditFilter,
  type AuditLog,
  type AuditPage,
  type AuditPageRequest,
  type AuditTally,
  type AuditTallyRequest,
  MAX_AUDIT_TOTAL,
} from "../../lib/stores/audit-log.ts";
import type { Page, Total } from "../../lib/stores/paging.ts";
import { type AuditShardKey, auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import type { StateBindings } from "./env.ts";
import { auditShardOf, registryOf } from "./objects.ts";

/** Days that one query looks through at most; a page that ends there may be short and still have a next one. */
const DAYS_A_QUERY = 100;

export function cloudflareAuditLog(env: StateBindings): AuditLog {
  const shardOf = (event: Pick<AuditEvent, "id" | "time" | "organizationId">) =>
    auditShardOf(env, auditShardName(auditShardOfEvent(event)));
  return {
    begin: (event) => shardOf(event).begin(event),
    complete: (event, completion) => shardOf(event).complete(event.id, completion),
    append: (event) => shardOf(event).append([event]),
    query: (filter, page) => queryWithTotal(env, filter, fromTheBeginningUnlessUlid(page)),
    tally: (request) => tally(env, request),
    kept: (request) => registryOf(env).keptAuditCounts(request),
  };
}

/** A text that is no cursor of ours reads as the beginning. */
function fromTheBeginningUnlessUlid({ cursor, ...page }: AuditPageRequest): AuditPageRequest {
  return cursor !== undefined && isUlid(cursor) ? { ...page, cursor } : page;
}

async function queryWithTotal(
  env: StateBindings,
  filter: AuditFilter,
  { withTotal = false, ...page }: AuditPageRequest,
): Promise<AuditPage> {
  const days = await daysOf(env, filter, page.cursor);
  if (!withTotal || page.cursor !== undefined) return query(env, days, filter, page);
  const [found, counted] = await Promise.all([query(env, days, filter, page), countDays(env, days, filter)]);
  const { length } = found.items;
  if (found.nextCursor === undefined) return { ...found, total: { count: length, isExact: true } };
  return { ...found, total: { ...counted, count: Math.max(length, counted.count) } };
}

/** Days that are counted: each has up to four objects, and all are asked at once, beside the page. */
const DAYS_COUNTED = 7;

/** Of the newest days with records. */
async function countDays(env: StateBindings, days: readonly Day[], filter: AuditFilter): Promise<Total> {
  const shards = days.slice(0, DAYS_COUNTED).flatMap((day) => day.shards);
  const request: AuditPageRequest = { limit: 1, withTotal: true };
  const pages = await Promise.all(
    shards.map((shard) => auditShardOf(env, auditShardName(shard)).query(filter, request)),
  );
  // A shard that still runs the former release does not count.
  const totals = pages.map(({ total, items }) => total ?? { count: items.length, isExact: items.length === 0 });
  const count = totals.reduce((sum, total) => sum + total.count, 0);
  const isExact = days.length <= DAYS_COUNTED && totals.every((total) => total.isExact) && count <= MAX_AUDIT_TOTAL;
  return { count: Math.min(count, MAX_AUDIT_TOTAL), isExact };
}

/** Day by day, newest first, until the page is full. Ids order the records, within a day and across its shards. */
async function query(
  env: StateBindings,
  days: readonly Day[],
  filter: AuditFilter,
  page: AuditPageRequest,
): Promise<AuditPage> {
  const found: AuditEvent[] = [];
  for (const [index, day] of days.entries()) {
    const missing = page.limit + 1 - found.length;
    const { events, endedAt } = await queryDay(env, day.shards, filter, { ...page, limit: missing });
    found.push(...events);
    if (found.length > page.limit) return pageUntil(found.slice(0, page.limit));
    if (endedAt !== undefined) return pageEnding(found, endedAt);
    if (index + 1 === DAYS_A_QUERY && index + 1 < days.length) return pageEnding(found, startOf(day.day));
  }
  return { items: found };
}

interface Day {
  readonly day: string;
  readonly shards: readonly AuditShardKey[];
}

/** Days with records, newest first. Those after the cursor have been shown. */
async function daysOf(env: StateBindings, filter: AuditFilter, cursor: string | undefined): Promise<readonly Day[]> {
  const shown = cursor === undefined ? undefined : ulidTime(cursor);
  const to = Math.min(filter.to ?? Infinity, shown ?? Infinity);
  const range = { from: auditDay(filter.from ?? 0), to: auditDay(to) };
  const shards = await registryOf(env).auditShards(filter.organizationId ?? "", range);
  const days = new Map<string, AuditShardKey[]>();
  for (const shard of shards) days.set(shard.day, [...(days.get(shard.day) ?? []), shard]);
  return [...days].map(([day, shardsOfDay]) => ({ day, shards: shardsOfDay }));
}

interface DayPage {
  readonly events: readonly AuditEvent[];
  /** The last id that every shard has looked at, where one looked at all that one query does; older records come later. */
  readonly endedAt: string | undefined;
}

async function queryDay(
  env: StateBindings,
  shards: readonly AuditShardKey[],
  filter: AuditFilter,
  page: AuditPageRequest,
): Promise<DayPage> {
  const pages = await Promise.all(shards.map((shard) => auditShardOf(env, auditShardName(shard)).query(filter, page)));
  const endedAt = pages
    .flatMap(({ items, nextCursor = "" }) => (items.length < page.limit && nextCursor !== "" ? [nextCursor] : []))
    .sort()
    .at(-1);
  const events = pages.flatMap(({ items }) => items).filter(({ id }) => endedAt === undefined || id >= endedAt);
  return { events: events.sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, page.limit), endedAt };
}

/** What the shards of the days count, added up. Of days that were deleted there is less left than a tally tells. */
async function tally(env: StateBindings, request: AuditTallyRequest): Promise<AuditTally> {
  const { organizationId } = request;
  const range = { from: auditDay(request.from), to: auditDay(request.to - 1) };
  const registry = registryOf(env);
  const [shards, deleted] = await Promise.all([
    registry.auditShards(organizationId, range),
    registry.keptAuditCounts({ organizationId, ...range }),
  ]);
  const tallies = await Promise.all(shards.map((shard) => auditShardOf(env, auditShardName(shard)).tally(request)));
  const last = deleted.at(-1);
  if (last === undefined) return addTallies(tallies);
  return addTallies([...tallies, { counts: [], kinds: [], complete: false, countedFrom: endOf(last.day) }]);
}

const DAY = 86_400_000;

function endOf(day: string): number {
  return Date.parse(day) + DAY;
}

function pageUntil(items: readonly AuditEvent[]): Page<AuditEvent> {
  const last = items.at(-1);
  return last === undefined ? { items } : { items, nextCursor: last.id };
}

/** A page that ends before it is full: the cursor says where. */
function pageEnding(items: readonly AuditEvent[], nextCursor: string): AuditPage {
  return { items, nextCursor, searchedTo: ulidTime(nextCursor) ?? 0 };
}

/** The smallest id of a day: a cursor that goes on with the day before. */
function startOf(day: string): string {
  return smallestUlid(Date.parse(day));
}
