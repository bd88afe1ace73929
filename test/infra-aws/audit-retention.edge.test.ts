import { type DynamoDBClient, QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { auditEvent, newOrganizationId } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";

const START = Date.UTC(2026, 10, 20, 12);
const DAY = 86_400_000;

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let tables: TableNames;
let now: number;
beforeAll(async () => {
  dynamo = await joinDynamo();
});
afterAll(() => dynamo.stop());
beforeEach(async () => {
  client = dynamo.client();
  tables = await dynamo.createTables();
  now = START;
});
afterEach(() => client.destroy());

const open = (auditRetention?: number) =>
  dynamoStores({ client, tables, clock: { now: () => now }, random: webCryptoRandom, auditRetention });

test.each([
  ["30 days", 30 * DAY, 30 * DAY],
  ["an hour, which is two days", 3_600_000, 2 * DAY],
  ["no time", undefined, undefined],
])("53. a record has a time to live of %s", async (_, retention, kept) => {
  const { auditLog } = open(retention);
  const event = auditEvent({ organizationId: newOrganizationId(), time: START });
  await auditLog.append(event);
  const shards = await Promise.all(
    [0, 1, 2, 3].map((shard) =>
      client.send(
        new QueryCommand({
          TableName: tables.audit,
          KeyConditionExpression: "pk = :pk",
          ExpressionAttributeValues: { ":pk": { S: `${event.organizationId}#2026-11-20#${shard}` } },
        }),
      ),
    ),
  );
  const [item] = shards.flatMap(({ Items = [] }) => Items);
  const ttl = item?.ttl?.N;
  expect(ttl && Number(ttl) * 1000 - START - 3_600_000).toBe(kept);
});

test("53. a day is counted by two instances at once, a thousand records at a time, and each record once", async () => {
  const organizationId = newOrganizationId();
  const one = open(30 * DAY);
  const another = open(30 * DAY);
  const counted = () => one.auditLog.kept({ organizationId, from: "2026-11-20", to: "2026-11-20" });
  const events = Array.from({ length: 5_000 }, () => auditEvent({ organizationId, time: START }));
  while (events.length > 0) await Promise.all(events.splice(0, 200).map((event) => one.auditLog.append(event)));
  expect(await one.sweepSessions()).toBe(false);
  now = START + DAY;
  for (let more = true; more; )
    more = (await Promise.all([one.sweepSessions(), another.sweepSessions()])).includes(true);
  expect(await counted()).toEqual([]);
  now = START + 32 * DAY;
  expect(await counted()).toEqual([
    { day: "2026-11-20", type: "api_client.updated", outcome: "success", count: 5_000 },
  ]);
});
