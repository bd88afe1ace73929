import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { cellsLeft, cellsWait, interval, whole } from "../../../lib/kernel/gcra.ts";
import { calendarEnd, grantable, type Lease, type LeaseRequest, type LimitCounts } from "../../../lib/stores/limits.ts";
import type { Database } from "./database.ts";
import { type Item, keyAttributes, timeToLive } from "./items.ts";
import type { ItemKey } from "./keys.ts";
import { limitKey } from "./keys.ts";
import { TTL_ATTRIBUTE } from "./tables.ts";
import { conditional } from "./writes.ts";

/**
 * Counts of limits, one item each. Each lease is one conditional write, which DynamoDB puts in an order; one that fails
 * tells the count, so that who is refused costs no second.
 */
export function dynamoLimits(database: Database): LimitCounts {
  return {
    lease: (request) =>
      request.calendar === undefined ? leaseRate(database, request) : leaseCalendar(database, request),
  };
}

/** How often a write is tried while others take what the last one told of. */
const ATTEMPTS = 8;
/** From then on no more is asked for than is needed. */
const MODEST = 3;

/** An item for each window: one that is over is never looked at again. */
async function leaseCalendar(database: Database, request: LeaseRequest): Promise<Lease> {
  const { key, rate, calendar = "day", now } = request;
  const end = calendarEnd(calendar, now);
  const item = { key: limitKey(`${key} ${end}`), expiresAt: end };
  let left = rate.quota;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const granted = sizeOf(left, request, attempt);
    if (granted === 0) break;
    const result = await add(database, item, {
      by: granted,
      condition: "attribute_not_exists(#count) OR #count <= :most",
      values: { ":most": number(rate.quota - needed(granted, request)) },
    });
    left = Math.max(0, rate.quota - (result.count ?? 0));
    if (result.isMet) return { granted, left, wait: 0, fullAt: end };
  }
  return { granted: 0, left, wait: left >= request.amount ? 1 : end - now, fullAt: end };
}

/** The item has when the count is full again: from now on where that is over, else later by what is taken. */
async function leaseRate(database: Database, request: LeaseRequest): Promise<Lease> {
  const { key, rate, amount, now } = request;
  const each = interval(rate);
  // What is not known is taken for one who is counted already: most are.
  let isFull = false;
  let fullAt = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const granted = sizeOf(cellsLeft(fullAt, rate, now), request, attempt);
    if (granted === 0) break;
    const by = granted * each;
    const latest = now + whole(rate) - needed(granted, request) * each;
    const item = { key: limitKey(key), expiresAt: latest + by };
    const result = isFull
      ? await set(database, { ...item, expiresAt: now + by }, { to: now + by, now })
      : await add(database, item, {
          by,
          condition: "#count > :now AND #count <= :most",
          values: { ":now": number(now), ":most": number(latest) },
        });
    fullAt = result.count ?? 0;
    if (result.isMet) return { granted, left: cellsLeft(fullAt, rate, now), wait: 0, fullAt };
    isFull = fullAt <= now;
  }
  return {
    granted: 0,
    left: cellsLeft(fullAt, rate, now),
    wait: Math.max(1, cellsWait(fullAt, amount, rate, now)),
    fullAt,
  };
}

function sizeOf(left: number, { amount, wanted }: LeaseRequest, attempt: number): number {
  return grantable(left, amount, attempt < MODEST ? wanted : amount);
}

/** How many there have to be: what is beyond the need is a hundredth at most. */
function needed(granted: number, { amount }: LeaseRequest): number {
  return granted > amount ? granted * 100 : granted;
}

interface CountItem {
  readonly key: ItemKey;
  readonly expiresAt: number;
}

interface Addition {
  readonly by: number;
  readonly condition: string;
  readonly values: Item;
}

/** The count after a write, or the one that its condition did not allow; undefined: there is none. */
interface Counted {
  readonly isMet: boolean;
  readonly count: number | undefined;
}

function add(database: Database, item: CountItem, { by, condition, values }: Addition): Promise<Counted> {
  return update(database, item, "ADD #count :by SET #ttl = :ttl", condition, { ...values, ":by": number(by) });
}

function set(
  database: Database,
  item: CountItem,
  { to, now }: { readonly to: number; readonly now: number },
): Promise<Counted> {
  const condition = "attribute_not_exists(#count) OR #count <= :now";
  const values = { ":to": number(to), ":now": number(now) };
  return update(database, item, "SET #count = :to, #ttl = :ttl", condition, values);
}

async function update(
  database: Database,
  { key, expiresAt }: CountItem,
  expression: string,
  condition: string,
  values: Item,
): Promise<Counted> {
  const result = await conditional(database, () =>
    database.client.send(
      new UpdateItemCommand({
        TableName: database.tables.records,
        Key: keyAttributes(key),
        UpdateExpression: expression,
        ConditionExpression: condition,
        ExpressionAttributeNames: { "#count": "count", "#ttl": TTL_ATTRIBUTE },
        ExpressionAttributeValues: { ...values, ":ttl": timeToLive(expiresAt) },
        ReturnValues: "UPDATED_NEW",
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    ),
  );
  const count = (result.met ? result.output.Attributes : result.failure.Item)?.count?.N;
  return { isMet: result.met, count: count === undefined ? undefined : Number(count) };
}

/** All digits of steps of a 2048th: sums of what is shorter would not be the same. */
function number(value: number) {
  return { N: value.toFixed(11) };
}
