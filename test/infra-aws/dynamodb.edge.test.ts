import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  GetItemCommand,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { keyAttributes, toItem } from "../../infra/aws/dynamodb/items.ts";
import { clientListKey, severalOrganizationsKey } from "../../infra/aws/dynamodb/keys.ts";
import { type DynamoStores, dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { ulid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { TokenIssue } from "../../lib/stores/tokens.ts";
import { createdFirstOwner, createdOrganization } from "../contract/member-records.ts";
import { apiClient } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { commandsOf, failFirst, loseFirstAnswerOf } from "./support/faults.ts";

const START = Date.UTC(2026, 10, 20, 12);
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

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
  stores = dynamoStores({ client, tables, clock: { now: () => now }, random: webCryptoRandom });
});

afterEach(() => client.destroy());

describe("47. DynamoDB, organizations of a former release", () => {
  const scans = (names: readonly string[]) => names.filter((name) => name === "ScanCommand").length;
  /** As a former release made them. */
  const withoutItem = () =>
    client.send(new DeleteItemCommand({ TableName: tables.records, Key: keyAttributes(severalOrganizationsKey) }));

  test("are found by the sweep without the item that says that there are several, and once", async () => {
    await createdOrganization(stores, await createdFirstOwner(stores));
    await withoutItem();
    expect(await stores.members.hasSeveralOrganizations()).toBe(false);
    const names = commandsOf(client);
    for (let sweep = 0; sweep < 3; sweep++) await stores.sweepSessions();
    expect(await stores.members.hasSeveralOrganizations()).toBe(true);
    expect(scans(names)).toBe(1);
  });

  test("are looked for once while there is one", async () => {
    const owner = await createdFirstOwner(stores);
    const names = commandsOf(client);
    for (let sweep = 0; sweep < 3; sweep++) await stores.sweepSessions();
    expect([await stores.members.hasSeveralOrganizations(), scans(names)]).toEqual([false, 1]);
    await createdOrganization(stores, owner);
    expect(await stores.members.hasSeveralOrganizations()).toBe(true);
  });

  test("are found also where a table takes several sweeps of several instances to look through", async () => {
    await createdOrganization(stores, await createdFirstOwner(stores));
    await withoutItem();
    client.middlewareStack.add(
      (next, { commandName }) =>
        (request) =>
          next(commandName === "ScanCommand" ? { ...request, input: { ...request.input, Limit: 1 } } : request),
      { step: "initialize" },
    );
    for (let i = 0; i < 30; i++) await stores.directory.createSignInLink(link(i));
    const names = commandsOf(client);
    const instance = () => dynamoStores({ client, tables, clock: { now: () => now }, random: webCryptoRandom });
    while (await instance().sweepSessions()) expect(scans(names)).toBeLessThan(100);
    expect(await stores.members.hasSeveralOrganizations()).toBe(true);
    expect(scans(names)).toBeGreaterThan(1);
  });

  const link = (i: number) => ({ secretHash: `hash-${i}`, userId: "user_1", expiresAt: START + HOUR });
});

describe("DynamoDB, an answer that is lost on the way", () => {
  test("does not turn the winner of a single-use value into a loser", async () => {
    loseFirstAnswerOf(client, "PutItemCommand");
    expect(await stores.singleUse.consume("setup", "value", START + HOUR)).toBe(true);
    expect(await stores.singleUse.consume("setup", "value", START + HOUR)).toBe(false);
  });

  test("does not use a sign-in link up for nobody", async () => {
    const link = { secretHash: "hash", userId: "user_1", expiresAt: START + HOUR };
    await stores.directory.createSignInLink(link);
    loseFirstAnswerOf(client, "any");
    expect(await stores.directory.consumeSignInLink(link.secretHash, START)).toEqual(link);
    expect(await stores.directory.consumeSignInLink(link.secretHash, START)).toBeUndefined();
  });

  test("does not turn an issued token into a replayed assertion", async () => {
    loseFirstAnswerOf(client, "TransactWriteItemsCommand");
    expect(await stores.tokens.issue(issueOf("one"))).toEqual({ outcome: "issued" });
    expect(await stores.tokens.issue(issueOf("one"))).toEqual({ outcome: "refused", reason: "assertion_used" });
  });
});

describe("DynamoDB, contention and failures", () => {
  test("a transaction that met another one is tried again", async () => {
    const met = failFirst(client, "TransactWriteItemsCommand", 3, cancelled("TransactionConflict"));
    expect(await stores.tokens.issue(issueOf("one"))).toEqual({ outcome: "issued" });
    expect(met()).toBe(3);
  });

  test("a transaction that always meets another one fails in the end and leaves nothing", async () => {
    failFirst(client, "TransactWriteItemsCommand", Number.POSITIVE_INFINITY, cancelled("TransactionConflict"));
    await expect(stores.tokens.issue(issueOf("one"))).rejects.toThrow("contended");
    expect(await stores.tokens.introspect(issueOf("one").reference, now)).toBeUndefined();
  });

  test("any other cancellation is an error and no refusal", async () => {
    failFirst(client, "TransactWriteItemsCommand", 1, cancelled("ItemCollectionSizeLimitExceeded"));
    await expect(stores.tokens.issue(issueOf("one"))).rejects.toThrow("cancelled by the test");
  });

  test("a missing table is an error and never reads as nothing", async () => {
    const elsewhere = { records: "no-records", sessions: "no-sessions", audit: "no-audit" };
    const lost = dynamoStores({ client, tables: elsewhere, clock: { now: () => now }, random: webCryptoRandom });
    await expect(lost.tokens.introspect({ shard: 0, hash: "h" }, now)).rejects.toThrow();
    await expect(lost.singleUse.consume("n", "k", START)).rejects.toThrow();
    await expect(lost.auditLog.append(eventOf(START))).rejects.toThrow();
  });
});

describe("DynamoDB, expiry", () => {
  test("an assertion id counts as new after its expiry and the margin, although DynamoDB has not removed it", async () => {
    const first = issueOf("one", { expiresAt: START + HOUR });
    expect(await stores.tokens.issue(first)).toEqual({ outcome: "issued" });
    const early = issueOf("one", { at: START + HOUR + EXPIRY_MARGIN - 1 });
    expect(await stores.tokens.issue(early)).toEqual({ outcome: "refused", reason: "assertion_used" });
    const late = issueOf("one", { at: START + HOUR + EXPIRY_MARGIN });
    expect(await stores.tokens.issue(late)).toEqual({ outcome: "issued" });
  });

  test("items tell DynamoDB to remove them, later than any clock could still hold them valid", async () => {
    const issue = issueOf("one");
    await stores.tokens.issue(issue);
    const { Item } = await client.send(
      new GetItemCommand({
        TableName: tables.records,
        Key: { pk: { S: `token#${issue.reference.hash}` }, sk: { S: "token" } },
      }),
    );
    expect(Number(Item?.ttl?.N)).toBe(issue.token.expiresAt / 1000 + 3600);
  });

  test("a used assertion id stays longer than it counts", async () => {
    await stores.tokens.issue(issueOf("one", { expiresAt: START + HOUR }));
    await stores.tokens.acceptAssertion({
      ...{ shard: 0, clientId: "client_1", keyPairId: "key_1", now },
      assertionId: { hash: "two", expiresAt: START + HOUR },
    });
    for (const hash of ["one", "two"]) {
      const Key = { pk: { S: `assertion#${hash}` }, sk: { S: "assertion" } };
      const { Item } = await client.send(new GetItemCommand({ TableName: tables.records, Key }));
      expect(Number(Item?.ttl?.N) * 1000).toBeGreaterThan(START + HOUR + EXPIRY_MARGIN);
    }
  });
});

describe("DynamoDB, the audit log", () => {
  test("pages run through days and shards, newest first, each record once", async () => {
    const events = Array.from({ length: 60 }, (_, index) => eventOf(START - (index % 5) * DAY - index * 1000));
    await Promise.all(events.map((event) => stores.auditLog.append(event)));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await stores.auditLog.query({ organizationId: "org_1" }, { limit: 7, ...(cursor && { cursor }) });
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(
      events
        .map(({ id }) => id)
        .sort()
        .reverse(),
    );
  });

  test("the newest thousand are counted", async () => {
    const from = START - 2 * DAY;
    for (let batch = 0; batch < 10; batch++) {
      const events = Array.from({ length: 100 }, (_, index) => eventOf(START - batch * 100 - index));
      await Promise.all(events.map((event) => stores.auditLog.append(event)));
    }
    const totalOf = async (filter: object = {}) =>
      (await stores.auditLog.query({ organizationId: "org_1", from, ...filter }, { limit: 2, withTotal: true })).total;
    expect(await totalOf()).toEqual({ count: 1_000, isExact: true });
    await stores.auditLog.append(eventOf(START - DAY));
    expect(await totalOf()).toEqual({ count: 1_000, isExact: false });
    expect(await totalOf({ to: START - DAY + 1 })).toEqual({ count: 1, isExact: true });
  });

  test("a range of times reads the days it touches, its end excluded", async () => {
    const times = [START - 2 * DAY, START - DAY, START, START + DAY];
    for (const time of times) await stores.auditLog.append(eventOf(time));
    const { items } = await stores.auditLog.query(
      { organizationId: "org_1", from: START - DAY, to: START + DAY },
      { limit: 10 },
    );
    expect(items.map(({ time }) => time)).toEqual([START, START - DAY]);
  });

  test.each([8.64e15, -8.64e15, 253402300800000])("a time that no day has, %d, is no error", async (time) => {
    const event = eventOf(START);
    await stores.auditLog.append(event);
    const after = await stores.auditLog.query({ organizationId: "org_1", from: time }, { limit: 10 });
    const before = await stores.auditLog.query({ organizationId: "org_1", to: time }, { limit: 10 });
    expect([...after.items, ...before.items]).toEqual([event]);
  });

  test.each(["", "!", "bm8gY3Vyc29y", "MjAyNi0xMS0yMCA"])(
    "a text that is no cursor reads from the start: %j",
    async (cursor) => {
      await stores.auditLog.append(eventOf(START));
      expect((await stores.auditLog.query({ organizationId: "org_1" }, { limit: 10, cursor })).items).toHaveLength(1);
      expect((await stores.apiClients.list("org_1", { limit: 10, cursor })).items).toHaveLength(0);
    },
  );
});

describe("DynamoDB, many API clients", () => {
  const SOME = 2_100;

  /** As a former release listed them: the id alone. */
  const listedById = (listings: readonly { readonly createdAt: number; readonly clientId: string }[]) =>
    Promise.all(
      Array.from({ length: Math.ceil(listings.length / 25) }, (_, batch) => {
        const requests = listings.slice(batch * 25, batch * 25 + 25).map(({ createdAt, clientId }) => ({
          PutRequest: { Item: toItem(clientListKey("org_1", createdAt, clientId), { clientId }) },
        }));
        return client.send(new BatchWriteItemCommand({ RequestItems: { [tables.records]: requests } }));
      }),
    );

  test("a search that did not come to all of them says how far it came, and its cursor goes on", async () => {
    const record = apiClient({ organizationId: "org_1", name: "Needle", createdAt: START });
    await stores.apiClients.create(record, eventOf(START));
    const others = Array.from({ length: SOME }, (_, index) => ({
      createdAt: START + 1 + index,
      clientId: `client_${index}`,
    }));
    await listedById([record, ...others]);
    const first = await stores.apiClients.list("org_1", { limit: 10, search: "needle" });
    expect(first).toMatchObject({ items: [], searchedTo: START + 1 + 100, total: { count: 0, isExact: false } });
    const cursor = first.nextCursor as string;
    const second = await stores.apiClients.list("org_1", { limit: 10, search: "needle", cursor });
    expect(second).toEqual({ items: [record] });
    const byName = await stores.apiClients.list("org_1", { limit: 10, search: "needle", sort: "name" });
    expect(byName).toEqual({ items: [], searchedTo: START + 1 + 100, total: { count: 0, isExact: false } });
    const { total } = await stores.apiClients.list("org_1", { limit: 1 });
    expect(total).toEqual({ count: 1_000, isExact: false });
  });

  test("one of a former release is in the list of names, and once renamed it is listed with its name", async () => {
    const record = apiClient({ organizationId: "org_1", name: "Former", createdAt: START });
    await stores.apiClients.create(record, eventOf(START));
    await listedById([record]);
    expect((await stores.apiClients.list("org_1", { limit: 10, sort: "name" })).items).toEqual([record]);
    await stores.apiClients.update(record, { name: "Present" }, START + 1, eventOf(START));
    const Key = keyAttributes(clientListKey("org_1", START, record.clientId));
    const { Item } = await client.send(new GetItemCommand({ TableName: tables.records, Key }));
    expect(Item?.name).toEqual({ S: "Present" });
  });
});

function eventOf(time: number): AuditEvent {
  return { id: ulid(time, webCryptoRandom), time, type: "token.issued", organizationId: "org_1", outcome: "success" };
}

let issued = 0;

/** A new token for the assertion id. */
function issueOf(assertion: string, { at = START, expiresAt = START + HOUR } = {}): TokenIssue {
  issued++;
  return {
    reference: { shard: 0, hash: `hash-${assertion}-${issued}` },
    token: {
      tokenId: `tok_${issued}`,
      chainId: `chain_${issued}`,
      clientId: "client_1",
      organizationId: "org_1",
      keyPairId: "key_1",
      subject: "client_1",
      audience: "https://id.example/mcp",
      scopes: [],
      issuedAt: at,
      expiresAt: at + HOUR,
    },
    grantRevision: 1,
    assertionId: { hash: assertion, expiresAt },
    event: eventOf(at),
  };
}

function cancelled(code: string): Error {
  return new TransactionCanceledException({
    $metadata: {},
    message: "cancelled by the test",
    CancellationReasons: [{ Code: code }, { Code: "None" }, { Code: "None" }],
  });
}
