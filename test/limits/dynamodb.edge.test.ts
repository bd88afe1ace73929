import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { expect, test } from "vitest";
import type { Database } from "../../infra/aws/dynamodb/database.ts";
import { dynamoLimits } from "../../infra/aws/dynamodb/limits.ts";
import type { LeaseRequest } from "../../lib/stores/limits.ts";

const NOON = Date.UTC(2030, 5, 15, 12);
const REQUEST: LeaseRequest = {
  ...{ key: "key", rate: { quota: 1_000, period: 1_000_000, burst: 1_000 } },
  ...{ amount: 1, wanted: 10, now: NOON },
};

/** An item that allows no write, as DynamoDB answers; what is sent to it. */
function refusing(count: number) {
  const sent: string[] = [];
  const send = async (command: object) => {
    sent.push(command.constructor.name);
    throw new ConditionalCheckFailedException({ message: "", $metadata: {}, Item: { count: { N: String(count) } } });
  };
  const database = { client: { send } as unknown as DynamoDBClient, tables: { records: "records" } };
  return { sent, limits: dynamoLimits(database as unknown as Database) };
}

test.each<[what: string, request: LeaseRequest, count: number]>([
  ["a rate", REQUEST, NOON + 1_000_000],
  ["a quota", { ...REQUEST, calendar: "day" }, 1_000],
])("51. who has used up %s costs one write and no read", async (_, request, count) => {
  const { sent, limits } = refusing(count);
  expect(await limits.lease(request)).toMatchObject({ granted: 0, left: 0 });
  expect(sent).toEqual(["UpdateItemCommand"]);
});

test.each<[what: string, request: LeaseRequest, count: number]>([
  ["a rate", REQUEST, NOON + 1],
  ["a quota", { ...REQUEST, calendar: "day" }, 0],
])("51. a lease of %s that never succeeds is given up", async (_, request, count) => {
  const { sent, limits } = refusing(count);
  expect(await limits.lease(request)).toMatchObject({ granted: 0, wait: 1 });
  expect(sent.length).toBeLessThan(10);
});
