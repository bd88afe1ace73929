import { UpdateItemCommand } from "@aws-sdk/client-dynamodb";
import { cellsLeft, cellsWait, interval } from "../../../lib/kernel/gcra.ts";
import { calendarEnd, type Lease, type LeaseRequest, type LimitCounts } from "../../../lib/stores/limits.ts";
import type { Database } from "./database.ts";
import { type Item, keyAttributes, timeToLive } from "./items.ts";
import { limitKey } from "./keys.ts";
import { readRecord } from "./reads.ts";
import { TTL_ATTRIBUTE } from "./tables.ts";
import { conditional } from "./writes.ts";

/** Counts of limits, one item each. Each lease is one conditional write, which DynamoDB puts in an order. */
export function dynamoLimits(database: Database): LimitCounts {
  return {
    lease: (request) =>
      request.calendar === undefined ? leaseRate(database, request) : leaseCalendar(database, request),
  };
}

interface ItemOfCount {
  readonly count: number;
}

/** An item for each window: one that is over is never looked at again. */
async function leaseCalendar(database: Database, request: LeaseRequest): Promise<Lease> {
  const { key, rate, calendar = "day", amount, now } = request;
  const end = calendarEnd(calendar, now);
  const itemKey = limitKey(`${key} ${end}`);
  for (const granted of sizes(request)) {
    const counted = await add(database, itemKey, end, {
      by: granted,
      condition: "attribute_not_exists(#count) OR #count <= :most",
      values: { ":most": number(rate.quota - granted) },
    });
    if (counted !== undefined) return { granted, left: rate.quota - counted, wait: 0, fullAt: end };
  }
  const { count = 0 } = (await readRecord<ItemOfCount>(database, "records", itemKey)) ?? {};
  return {
    granted: 0,
    left: Math.max(0, rate.quota - count),
    wait: rate.quota - count >= amount ? 1 : end - now,
    fullAt: end,
  };
}

/** The item has when the count is full again: from now on where that is over, else later by what is taken. */
async function leaseRate(database: Database, request: LeaseRequest): Promise<Lease> {
  const { key, rate, amount, now } = request;
  const itemKey = limitKey(key);
  const each = interval(rate);
  for (const granted of sizes(request)) {
    const cost = granted * each;
    const latest = now + rate.burst * each - cost;
    if (latest < now) continue;
    const fresh = () =>
      set(database, itemKey, { to: now + cost, condition: "attribute_not_exists(#count) OR #count <= :now", now });
    const later = () =>
      add(database, itemKey, latest + cost, {
        by: cost,
        condition: "#count > :now AND #count <= :most",
        values: { ":now": number(now), ":most": number(latest + each * ROUNDING) },
      });
    const fullAt = (await later()) ?? (await fresh()) ?? (await later());
    if (fullAt !== undefined) return { granted, left: cellsLeft(fullAt, rate, now), wait: 0, fullAt };
  }
  const { count = 0 } = (await readRecord<ItemOfCount>(database, "records", itemKey)) ?? {};
  const wait = Math.max(1, cellsWait(count, amount, rate, now));
  return { granted: 0, left: cellsLeft(count, rate, now), wait, fullAt: count };
}

/** Sums of fractions of milliseconds. */
const ROUNDING = 1e-6;

/** What is wanted, then what is needed. */
function sizes({ amount, wanted }: LeaseRequest): readonly number[] {
  return wanted > amount ? [wanted, amount] : [amount];
}

interface Addition {
  readonly by: number;
  readonly condition: string;
  readonly values: Item;
}

/** The count after it; undefined: the condition is not met. */
async function add(
  database: Database,
  key: ReturnType<typeof limitKey>,
  expiresAt: number,
  { by, condition, values }: Addition,
): Promise<number | undefined> {
  return update(database, key, expiresAt, "ADD #count :by SET #ttl = :ttl", condition, {
    ...values,
    ":by": number(by),
  });
}

async function set(
  database: Database,
  key: ReturnType<typeof limitKey>,
  { to, condition, now }: { readonly to: number; readonly condition: string; readonly now: number },
): Promise<number | undefined> {
  const values = { ":to": number(to), ":now": number(now) };
  return update(database, key, to, "SET #count = :to, #ttl = :ttl", condition, values);
}

async function update(
  database: Database,
  key: ReturnType<typeof limitKey>,
  expiresAt: number,
  expression: string,
  condition: string,
  values: Item,
): Promise<number | undefined> {
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
      }),
    ),
  );
  return result.met ? Number(result.output.Attributes?.count?.N) : undefined;
}

function number(value: number) {
  return { N: String(value) };
}
