import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DynamoStores, dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import { sessionExpired, sessionExpiresAt } from "../../lib/stores/mcp-session-expiry.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { beforeFirst, commandsOf, failFirst } from "./support/faults.ts";
import { begun, leftInSessions, recorded, sessionEvent, sessionFrom } from "./support/sessions.ts";

const START = Date.UTC(2026, 10, 20, 12);
const DAY = 24 * 3_600_000;

let dynamo: RunningDynamo;
let client: DynamoDBClient;
let tables: TableNames;
let stores: DynamoStores;
let now: number;

beforeAll(async () => {
  dynamo = await joinDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.client();
  tables = await dynamo.createTables();
  now = START;
  stores = newStores(client);
});

afterEach(() => client.destroy());

describe("the sweep of agents' sessions", () => {
  test.each(["org_1", undefined])(
    "ends one of organization %s that nobody asks for, with its record",
    async (owner) => {
      const { organizationId: _, ...session } = sessionFrom(START);
      const one = await begun(stores, owner === undefined ? session : { ...session, organizationId: owner });
      now = sessionExpiresAt(one) + EXPIRY_MARGIN;
      expect(await stores.sweepSessions()).toBe(false);
      const filter = { organizationId: owner, type: "session.expired" } as const;
      expect((await stores.auditLog.query(filter, { limit: 10 })).items).toEqual([sessionExpired(one)]);
      expect(await leftInSessions(client, tables)).toEqual([]);
    },
  );

  test("waits for the margin, so that a clock that is ahead ends no session of the others", async () => {
    const session = await begun(stores, sessionFrom(START));
    now = sessionExpiresAt(session) + EXPIRY_MARGIN - 1;
    await stores.sweepSessions();
    expect(await recorded(stores, "session.expired")).toEqual([]);
    expect(await stores.mcpSessions.get(session.sessionHash, sessionExpiresAt(session) - 1)).toEqual(session);
  });

  test("leaves a session that was used, and comes back to it when it could be over again", async () => {
    const session = await begun(stores, sessionFrom(START));
    const used = { ...session, lastSeenAt: sessionExpiresAt(session) - 1 };
    await stores.mcpSessions.use(session, used.lastSeenAt);
    now = sessionExpiresAt(session) + EXPIRY_MARGIN;
    await stores.sweepSessions();
    expect(await stores.mcpSessions.get(session.sessionHash, now)).toEqual(used);
    now = sessionExpiresAt(used) + EXPIRY_MARGIN;
    await stores.sweepSessions();
    expect(await recorded(stores, "session.expired")).toEqual([session.sessionHash]);
    expect(await leftInSessions(client, tables)).toEqual([]);
  });

  test("loses no session that is used by a clock that is behind while it is being ended", async () => {
    const session = await begun(stores, sessionFrom(START));
    const used = { ...session, lastSeenAt: sessionExpiresAt(session) - 1 };
    now = sessionExpiresAt(session) + EXPIRY_MARGIN;
    const other = dynamo.client();
    const happened = beforeFirst(client, "TransactWriteItemsCommand", () =>
      newStores(other).mcpSessions.use(session, used.lastSeenAt),
    );
    await stores.sweepSessions();
    expect(happened()).toBe(true);
    other.destroy();
    expect(await stores.mcpSessions.get(session.sessionHash, now)).toEqual(used);
    now = sessionExpiresAt(used) + EXPIRY_MARGIN;
    // The first one finds its entry where it was.
    for (let sweep = 0; sweep < 2; sweep++) await stores.sweepSessions();
    expect(await recorded(stores, "session.expired")).toEqual([session.sessionHash]);
    expect(await leftInSessions(client, tables)).toEqual([]);
  });

  test("clears away what is left of a session that was ended, without another record", async () => {
    const session = await begun(stores, sessionFrom(START));
    const event = sessionEvent("session.terminated", session, START);
    expect(await stores.mcpSessions.end(session.sessionHash, START, event)).toBe(true);
    now = START + DAY;
    await stores.sweepSessions();
    expect(await leftInSessions(client, tables)).toEqual([]);
    expect(await recorded(stores, "session.expired")).toEqual([]);
    expect(await recorded(stores, "session.terminated")).toEqual([session.sessionHash]);
  });

  test("takes a few at a time and tells that there are more; several at once make one record of each", async () => {
    const sessions = await Promise.all(Array.from({ length: 60 }, (_, n) => begun(stores, sessionFrom(START + n))));
    now = START + DAY;
    expect(await stores.sweepSessions()).toBe(true);
    expect(await recorded(stores, "session.expired")).toHaveLength(25);
    const sweepers = [stores, newStores(client), newStores(client)];
    await Promise.all(
      sweepers.map(async ({ sweepSessions }) => {
        while (await sweepSessions());
      }),
    );
    expect(await recorded(stores, "session.expired")).toEqual(sessions.map(({ sessionHash }) => sessionHash).sort());
    expect(await leftInSessions(client, tables)).toEqual([]);
  });

  test.each(["DeleteItemCommand", "TransactWriteItemsCommand", "PutItemCommand"])(
    "that dies before a %s is made good by the next one",
    async (command) => {
      const [over, used] = [await begun(stores, sessionFrom(START)), await begun(stores, sessionFrom(START))];
      now = sessionExpiresAt(over) + EXPIRY_MARGIN;
      await stores.mcpSessions.use(used, now - EXPIRY_MARGIN - 1);
      const failed = failFirst(client, command, 1, new Error("of the test"));
      // Two shards are two steps, of which the first ends the sweep.
      for (let sweep = 0; sweep < 2; sweep++)
        await stores.sweepSessions().catch((error: Error) => expect(error.message).toBe("of the test"));
      expect(failed()).toBe(1);
      await stores.sweepSessions();
      expect(await recorded(stores, "session.expired")).toEqual([over.sessionHash]);
      const left = await leftInSessions(client, tables);
      expect(left.filter((pk) => pk.startsWith("mcp-sessions-due#"))).toHaveLength(1);
      expect(await stores.mcpSessions.get(used.sessionHash, now)).toMatchObject({ sessionHash: used.sessionHash });
    },
  );

  test("that finds nothing costs four reads, and one each for people who were forgotten, connections that end and approvals that expire", async () => {
    await begun(stores, sessionFrom(START));
    // The first of an instance also looks for organizations of a former release.
    await stores.sweepSessions();
    const commands = commandsOf(client);
    await stores.sweepSessions();
    expect(commands).toEqual(Array.from({ length: 7 }, () => "QueryCommand"));
  });
});

function newStores(through: DynamoDBClient): DynamoStores {
  return dynamoStores({ client: through, tables, clock: { now: () => now }, random: webCryptoRandom });
}
