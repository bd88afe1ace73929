import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type DynamoStores, dynamoStores } from "../../infra/aws/dynamodb/stores.ts";
import type { TableNames } from "../../infra/aws/dynamodb/tables.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { UPSTREAMS_LIMIT, upstreamSize } from "../../lib/stores/mcp-session-upstreams.ts";
import type { McpSessions, UpstreamSession } from "../../lib/stores/mcp-sessions.ts";
import { upstreamSession } from "../contract/records.ts";
import { joinDynamo, type RunningDynamo } from "../support/dynamodb.ts";
import { beforeFirst, commandsOf, loseFirstAnswerOf } from "./support/faults.ts";
import { begun, leftInSessions, sessionEvent, sessionFrom } from "./support/sessions.ts";

const START = Date.UTC(2026, 10, 20, 12);

describe("an agent's session in DynamoDB, and those of its upstreams", () => {
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

  const storesAt = (through: DynamoDBClient) =>
    dynamoStores({ client: through, tables, clock: { now: () => START }, random: webCryptoRandom });
  /** What another process does; none of the faults of this one reach it. */
  const another = async (act: (sessions: McpSessions) => Promise<unknown>) => {
    const through = dynamo.client();
    await act(storesAt(through).mcpSessions).finally(() => through.destroy());
  };

  test("one is set for one read and one write; where another was first, the read is all", async () => {
    const session = await begun(stores, sessionFrom(START));
    const commands = commandsOf(client);
    for (let i = 0; i < 2; i++) {
      await stores.mcpSessions.setUpstream(session, "library", upstreamSession(), undefined, START);
    }
    expect(commands).toEqual(["GetItemCommand", "UpdateItemCommand", "GetItemCommand"]);
  });

  test("one that was read as missing is not written over that of another, which both then have", async () => {
    const session = await begun(stores, sessionFrom(START));
    const [first, second] = [upstreamSession(), upstreamSession()];
    const happened = beforeFirst(client, "UpdateItemCommand", () =>
      another((sessions) => sessions.setUpstream(session, "library", first, undefined, START)),
    );
    const found = await stores.mcpSessions.setUpstream(session, "library", second, undefined, START);
    expect(happened()).toBe(true);
    expect(found).toEqual({ ...session, upstreams: { library: first } });
  });

  test("one does not bring back a session that was ended after it was read", async () => {
    const session = await begun(stores, sessionFrom(START));
    const event = sessionEvent("session.terminated", session, START);
    beforeFirst(client, "UpdateItemCommand", () =>
      another((sessions) => sessions.end(session.sessionHash, START, event)),
    );
    expect(
      await stores.mcpSessions.setUpstream(session, "library", upstreamSession(), undefined, START),
    ).toBeUndefined();
    expect(await leftInSessions(client, tables)).toEqual([expect.stringMatching(/^mcp-sessions-due#/)]);
  });

  test("one whose answer is lost on the way is found as it was set, and takes its room once", async () => {
    const session = await begun(stores, sessionFrom(START));
    const lost = loseFirstAnswerOf(client, "UpdateItemCommand");
    const large = upstreamOf(0.6 * UPSTREAMS_LIMIT);
    const kept = { ...session, upstreams: { library: large } };
    expect(await stores.mcpSessions.setUpstream(session, "library", large, undefined, START)).toEqual(kept);
    expect(lost()).toBe(true);
    const rest = upstreamOf(0.4 * UPSTREAMS_LIMIT - 10);
    const full = { ...session, upstreams: { library: large, ledger: rest } };
    expect(await stores.mcpSessions.setUpstream(session, "ledger", rest, undefined, START)).toEqual(full);
  });

  test("the last room that another took meanwhile is not taken twice", async () => {
    const session = await begun(stores, sessionFrom(START));
    const [first, second] = [upstreamOf(0.6 * UPSTREAMS_LIMIT), upstreamOf(0.6 * UPSTREAMS_LIMIT)];
    beforeFirst(client, "UpdateItemCommand", () =>
      another((sessions) => sessions.setUpstream(session, "library", first, undefined, START)),
    );
    const found = await stores.mcpSessions.setUpstream(session, "ledger", second, undefined, START);
    expect(found).toEqual({ ...session, upstreams: { library: first } });
  });

  test("all that there is room for fits into an item beside the largest that a client says of itself", async () => {
    const clientInfo = { name: "€".repeat(200), version: "€".repeat(200) };
    const clientCapabilities = { experimental: { all: "€".repeat(16_000) } };
    const principal = "€".repeat(5_000);
    const session = await begun(stores, sessionFrom(START, { clientInfo, clientCapabilities, principal }));
    const upstream = upstreamOf(UPSTREAMS_LIMIT);
    const full = { ...session, upstreams: { library: upstream } };
    expect(await stores.mcpSessions.setUpstream(session, "library", upstream, undefined, START)).toEqual(full);
    expect(await stores.mcpSessions.get(session.sessionHash, START)).toEqual(full);
  });
});

/** A session that takes so many bytes under the name of the library. */
function upstreamOf(bytes: number): UpstreamSession {
  const upstream = upstreamSession({ subscriptions: [""] });
  return { ...upstream, subscriptions: ["x".repeat(bytes - upstreamSize("library", upstream))] };
}
