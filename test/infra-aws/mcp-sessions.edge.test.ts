import { type DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DynamoStores, dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { sessionExpired, sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import type { McpSessionRecord, McpSessions } from "../../lib/stores/mcp-sessions.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { beforeFirst, commandsOf, loseFirstAnswerOf } from "./support/faults.ts";
import { begun, leftInSessions, recorded, sessionEvent, sessionFrom } from "./support/sessions.ts";

const START = Date.UTC(2026, 10, 20, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let tables: TableNames;
let stores: DynamoStores;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.client();
  tables = await dynamo.createTables();
  stores = storesAt(client);
});

afterEach(() => client.destroy());

describe("an agent's session in DynamoDB", () => {
  test("keeps what its client said of itself, whatever JSON has and attributes have not", async () => {
    let deep: object = {};
    for (let depth = 0; depth < 60; depth++) deep = { deep };
    const clientCapabilities = {
      nothing: null,
      many: 1e300,
      precise: 0.1,
      "": "",
      list: [null, [], {}],
      deep,
      half: "\ud800",
    };
    const clientInfo = { name: "", version: "\ud800\u0000" };
    const session = await begun(stores, sessionFrom(START, { clientCapabilities, clientInfo }));
    expect(await stores.mcpSessions.get(session.sessionHash, START)).toEqual(session);
    expect(await stores.mcpSessions.use(session, START + 2 * MINUTE)).toEqual({
      ...session,
      lastSeenAt: START + 2 * MINUTE,
    });
  });

  test("is used for one read, and for one write more when the use is due", async () => {
    const session = await begun(stores, sessionFrom(START));
    const commands = commandsOf(client);
    await stores.mcpSessions.use(session, START + MINUTE - 1);
    expect(commands).toEqual(["GetItemCommand"]);
    await stores.mcpSessions.use(session, START + MINUTE);
    expect(commands).toEqual(["GetItemCommand", "GetItemCommand", "UpdateItemCommand"]);
  });

  test("is not brought back by a use that read it before its end", async () => {
    const session = await begun(stores, sessionFrom(START));
    const happened = beforeFirst(client, "UpdateItemCommand", () => end(session));
    expect(await stores.mcpSessions.use(session, START + 2 * MINUTE)).toBeUndefined();
    expect(happened()).toBe(true);
    expect(await leftInSessions(client, tables)).toEqual([expect.stringMatching(/^mcp-sessions-due#/)]);
  });

  test("is not brought back by a log level either", async () => {
    const session = await begun(stores, sessionFrom(START));
    const happened = beforeFirst(client, "UpdateItemCommand", () => end(session));
    expect(await stores.mcpSessions.setLogLevel(session, "error", START)).toBe(false);
    expect(happened()).toBe(true);
    expect(await stores.mcpSessions.get(session.sessionHash, START)).toBeUndefined();
  });

  test("is ended by one of two who both found it live", async () => {
    const session = await begun(stores, sessionFrom(START));
    const event = sessionEvent("session.terminated", session, START);
    const ends: boolean[] = [];
    beforeFirst(client, "TransactWriteItemsCommand", () =>
      another(async (sessions) => ends.push(await sessions.end(session.sessionHash, START, event))),
    );
    ends.push(await end(session));
    expect(ends).toEqual([true, false]);
    expect(await recorded(stores, "session.terminated")).toEqual([session.sessionHash]);
  });

  test("is live for whose use is overtaken by a later one, whose time stays", async () => {
    const session = await begun(stores, sessionFrom(START));
    const later = START + 5 * MINUTE;
    beforeFirst(client, "UpdateItemCommand", () => another((sessions) => sessions.use(session, later)));
    expect(await stores.mcpSessions.use(session, START + 2 * MINUTE)).toEqual({ ...session, lastSeenAt: later });
    expect(await stores.mcpSessions.get(session.sessionHash, later)).toEqual({ ...session, lastSeenAt: later });
  });

  test("may be removed by DynamoDB thirty days after its expiry, and uses put that off", async () => {
    const session = await begun(stores, sessionFrom(START));
    for (const lastSeenAt of [START, START + 10 * MINUTE]) {
      await stores.mcpSessions.use(session, lastSeenAt);
      const Key = { pk: { S: `mcp-session#${session.sessionHash}` }, sk: { S: "mcp-session" } };
      const { Item } = await client.send(new GetItemCommand({ TableName: tables.sessions, Key }));
      const expiresAt = sessionExpiresAt({ ...session, lastSeenAt });
      expect(Number(Item?.ttl?.N) * 1000).toBeGreaterThanOrEqual(expiresAt + 30 * DAY);
      expect(Number(Item?.ttl?.N) * 1000).toBeLessThan(expiresAt + 31 * DAY);
    }
  });
});

describe("an answer that is lost on the way", () => {
  test("leaves one session and one record of its start", async () => {
    const lost = loseFirstAnswerOf(client, "TransactWriteItemsCommand");
    const session = await begun(stores, sessionFrom(START));
    expect(lost()).toBe(true);
    expect((await stores.mcpSessions.list("org_1", START, { limit: 10 })).items).toEqual([session]);
    expect(await recorded(stores, "session.started")).toEqual([session.sessionHash]);
  });

  test("does not make a use one of a session that is over", async () => {
    const session = await begun(stores, sessionFrom(START));
    const lost = loseFirstAnswerOf(client, "UpdateItemCommand");
    const lastSeenAt = START + 2 * MINUTE;
    expect(await stores.mcpSessions.use(session, lastSeenAt)).toEqual({ ...session, lastSeenAt });
    expect(lost()).toBe(true);
  });

  test("does not hide from who ended a session that it was them", async () => {
    const session = await begun(stores, sessionFrom(START));
    const lost = loseFirstAnswerOf(client, "TransactWriteItemsCommand");
    expect(await end(session)).toBe(true);
    expect(lost()).toBe(true);
    expect(await end(session)).toBe(false);
    expect(await recorded(stores, "session.terminated")).toEqual([session.sessionHash]);
  });

  test("leaves one record of an expiry", async () => {
    const session = await begun(stores, sessionFrom(START));
    const lost = loseFirstAnswerOf(client, "TransactWriteItemsCommand");
    expect(await stores.mcpSessions.get(session.sessionHash, sessionExpiresAt(session))).toBeUndefined();
    expect(lost()).toBe(true);
    expect(await recorded(stores, "session.expired")).toEqual([session.sessionHash]);
  });
});

describe("an expired session", () => {
  const NOTICED_BY: readonly (readonly [string, (session: McpSessionRecord, now: number) => Promise<unknown>])[] = [
    ["use", (session, now) => stores.mcpSessions.use(session, now)],
    ["setLogLevel", (session, now) => stores.mcpSessions.setLogLevel(session, "debug", now)],
    ["get", ({ sessionHash }, now) => stores.mcpSessions.get(sessionHash, now)],
    ["end", (session, now) => end(session, now)],
    ["list", (_, now) => stores.mcpSessions.list("org_1", now, { limit: 10 })],
  ];

  test.each(NOTICED_BY)("is ended with its record by %s, which comes upon it", async (_, notice) => {
    const session = await begun(stores, sessionFrom(START));
    const expiresAt = sessionExpiresAt(session);
    await notice(session, expiresAt);
    const { items } = await stores.auditLog.query({ organizationId: "org_1", type: "session.expired" }, { limit: 10 });
    expect(items).toEqual([sessionExpired(session)]);
    expect(await recorded(stores, "session.terminated")).toEqual([]);
    expect(await leftInSessions(client, tables)).toEqual([expect.stringMatching(/^mcp-sessions-due#/)]);
  });

  test("leaves one record and nothing else, however many come upon it at once", async () => {
    const session = await begun(stores, sessionFrom(START));
    const now = sessionExpiresAt(session) + DAY;
    const sweeper = storesAt(client, now);
    await Promise.all([
      ...Array.from({ length: 5 }, () => NOTICED_BY.map(([, notice]) => notice(session, now))).flat(),
      sweeper.sweepSessions(),
      sweeper.sweepSessions(),
    ]);
    await sweeper.sweepSessions();
    expect(await recorded(stores, "session.expired")).toEqual([session.sessionHash]);
    expect(await recorded(stores, "session.terminated")).toEqual([]);
    expect(await leftInSessions(client, tables)).toEqual([]);
  });

  test("is not ended while another, whose clock is behind, uses it", async () => {
    const session = await begun(stores, sessionFrom(START));
    const expiresAt = sessionExpiresAt(session);
    beforeFirst(client, "TransactWriteItemsCommand", () => another((sessions) => sessions.use(session, expiresAt - 1)));
    expect(await stores.mcpSessions.get(session.sessionHash, expiresAt)).toBeUndefined();
    expect(await recorded(stores, "session.expired")).toEqual([]);
    const used = { ...session, lastSeenAt: expiresAt - 1 };
    expect(await stores.mcpSessions.get(session.sessionHash, expiresAt)).toEqual(used);
  });
});

function storesAt(through: DynamoDBClient, now = START): DynamoStores {
  return dynamoStores({ client: through, tables, clock: { now: () => now }, random: webCryptoRandom });
}

/** What another process does; none of the faults of this one reach it. */
async function another<T>(act: (sessions: McpSessions) => Promise<T>): Promise<T> {
  const through = dynamo.client();
  return act(storesAt(through).mcpSessions).finally(() => through.destroy());
}

function end(session: McpSessionRecord, now = START): Promise<boolean> {
  return stores.mcpSessions.end(session.sessionHash, now, sessionEvent("session.terminated", session, now));
}
