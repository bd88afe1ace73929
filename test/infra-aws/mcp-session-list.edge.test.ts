import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  TransactionConflictException,
} from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { failFirst } from "./support/faults.ts";
import { begun, leftInSessions, recorded, sessionEvent, sessionFrom } from "./support/sessions.ts";

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let tables: TableNames;
let stores: Stores;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.client();
  tables = await dynamo.createTables();
  stores = dynamoStores({ client, tables, clock: { now: () => START }, random: webCryptoRandom });
});

afterEach(() => client.destroy());

describe("the list of an organization's sessions", () => {
  test("has each live one once, newest first, whatever is over in between", async () => {
    const sessions = await Promise.all(Array.from({ length: 40 }, (_, n) => begun(stores, sessionFrom(START + n))));
    const now = sessionExpiresAt(sessions[29] as McpSessionRecord);
    const used = sessions.filter((_, n) => n < 30 && n % 3 === 0);
    for (const session of used) await stores.mcpSessions.use(session, now - 10 * MINUTE);
    for (const session of sessions.slice(30, 35)) {
      await stores.mcpSessions.end(session.sessionHash, START, sessionEvent("session.terminated", session, START));
    }
    const live = [...used, ...sessions.slice(35)].map(({ sessionHash }) => sessionHash);
    expect(await pages("org_1", now, 4)).toEqual(live.reverse());
    expect(await recorded(stores, "session.expired")).toHaveLength(20);
    expect(await pages("org_2", now, 4)).toEqual([]);
  });

  test("loses the entries of sessions that are gone when it is read, page by page where there are many", async () => {
    const oldest = await begun(stores, sessionFrom(START));
    await leaveEntries(510);
    const first = await stores.mcpSessions.list("org_1", START, { limit: 10 });
    expect(first.items).toEqual([]);
    expect(first.nextCursor).toEqual(expect.any(String));
    expect(await pages("org_1", START, 10, first.nextCursor)).toEqual([oldest.sessionHash]);
    const left = await leftInSessions(client, tables);
    expect(left.filter((pk) => pk === "mcp-sessions#org_1")).toHaveLength(1);
  });

  test("has no session that DynamoDB has removed", async () => {
    const [removed, live] = [await begun(stores, sessionFrom(START)), await begun(stores, sessionFrom(START))];
    const Key = { pk: { S: `mcp-session#${removed.sessionHash}` }, sk: { S: "mcp-session" } };
    await client.send(new DeleteItemCommand({ TableName: tables.sessions, Key }));
    expect(await pages("org_1", START, 10)).toEqual([live.sessionHash]);
  });

  test.each(["", "!", "bm8gY3Vyc29y"])("is read from its beginning by a text that is no cursor: %j", async (cursor) => {
    const session = await begun(stores, sessionFrom(START));
    expect(await pages("org_1", START, 10, cursor)).toEqual([session.sessionHash]);
  });

  test("is read also where others are just ending sessions of it", async () => {
    await begun(stores, sessionFrom(START));
    await leaveEntries(1);
    const conflict = new TransactionConflictException({ $metadata: {}, message: "of the test" });
    const failed = failFirst(client, "DeleteItemCommand", 2, conflict);
    expect(await pages("org_1", START + 90 * MINUTE, 10)).toEqual([]);
    expect(failed()).toBe(2);
    expect(await leftInSessions(client, tables)).toEqual([expect.stringMatching(/^mcp-sessions-due#/)]);
  });
});

/** Hashes of all pages. */
async function pages(organizationId: string, now: number, limit: number, from?: string): Promise<readonly string[]> {
  const hashes: string[] = [];
  let cursor = from;
  do {
    const page = await stores.mcpSessions.list(organizationId, now, { limit, ...(cursor && { cursor }) });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    hashes.push(...page.items.map(({ sessionHash }) => sessionHash));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return hashes;
}

/** Entries in the list of `org_1`, newer than any session, of which nothing is left. */
async function leaveEntries(count: number): Promise<void> {
  const puts = Array.from({ length: count }, (_, n) => {
    const position = `${String(START + 1 + n).padStart(16, "0")}#gone-${n}`;
    const Item = { pk: { S: "mcp-sessions#org_1" }, sk: { S: position }, sessionHash: { S: `gone-${n}` } };
    return { PutRequest: { Item } };
  });
  for (let n = 0; n < puts.length; n += 25) {
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tables.sessions]: puts.slice(n, n + 25) } }));
  }
}
