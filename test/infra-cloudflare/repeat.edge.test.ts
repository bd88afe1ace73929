import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { withRetries } from "../../infra/cloudflare/retry.ts";
import { laneShard, laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { apiClient, auditEvent, MINUTE, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import {
  assertionOf,
  CONFIGURATION,
  clientWith,
  present,
  type SigningKey,
  signingKey,
  VARIABLES,
} from "./support/token-requests.ts";

const RETRYABLE = { retryable: true } as const;
const OVERLOADED = { retryable: true, overloaded: true } as const;

describe("a call of an object that failed", () => {
  const failing = (times: number, error: object) => {
    let calls = 0;
    const call = async () => {
      calls += 1;
      if (calls <= times) throw Object.assign(new Error("Network connection lost."), error);
      return "answer";
    };
    return { call, calls: () => calls };
  };

  test.each([
    ["retryable", RETRYABLE],
    ["an end of the object", { durableObjectReset: true }],
  ])("in passing (%s) is made again, three times", async (_, error) => {
    const thrice = failing(3, error);
    expect(await withRetries(thrice.call)).toBe("answer");
    const longer = failing(4, error);
    await expect(withRetries(longer.call)).rejects.toThrow("Network connection lost.");
    expect(longer.calls()).toBe(4);
  });

  test.each([
    ["because the object has too much to do", OVERLOADED],
    ["for good", {}],
  ])("%s is made once", async (_, error) => {
    const { call, calls } = failing(1, error);
    await expect(withRetries(call)).rejects.toThrow("Network connection lost.");
    expect(calls()).toBe(1);
  });
});

describe("calls between the Worker and its objects", () => {
  let it: OpenFaultyProduct;
  let key: SigningKey;
  let client: ApiClientRecord;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, VARIABLES);
  });
  beforeEach(async () => {
    await it.set();
    key = await signingKey();
    client = clientWith([key]);
    await it.stores().apiClients.create(client, event());
    await it.counted();
  });
  afterAll(() => it.close());

  const event = () => auditEvent({ organizationId: client.organizationId });
  const token = async () => {
    const fetchToken = (path: string, init: RequestInit) => it.worker.fetch(path, init as never) as never;
    return present(fetchToken, await assertionOf(client, key), "one");
  };
  const issuedEvents = () =>
    it.stores().auditLog.query({ organizationId: client.organizationId, type: "token.issued" }, { limit: 10 });
  const issue = (how: Fault["how"], fields: Partial<Fault> = {}): Fault => ({
    binding: "TOKEN_SHARDS",
    method: "issue",
    how,
    times: 2,
    error: RETRYABLE,
    ...fields,
  });
  const made = async (call: string) => (await it.counted()).calls.filter((name) => name === call).length;

  test.each([
    ["did not arrive", issue("refuse"), 3],
    ["was carried out without an answer", issue("lose"), 3],
    ["outlived its object", issue("end", { times: 1 }), 2],
  ])("a token request that %s brings one token and one record", async (_, fault, calls) => {
    await it.set(fault);
    expect((await token()).status).toBe(200);
    expect(await made("TOKEN_SHARDS.issue")).toBe(calls);
    const { items } = await eventually(issuedEvents, (page) => page.items.length > 0);
    expect(items).toHaveLength(1);
    const stored = await Promise.all(
      laneShards(client.clientId).map(async (shard) => {
        const sql = await it.worker.getDurableObjectStorage("TOKEN_SHARDS", { name: String(shard) });
        return sql.exec("SELECT hash FROM tokens WHERE json_extract(record, '$.clientId') = ?", client.clientId);
      }),
    );
    expect(stored.flat()).toHaveLength(1);
  });

  test("an overloaded object is asked once", async () => {
    await it.set(issue("refuse", { error: OVERLOADED }));
    const answer = await token();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("Retry-After")).toBe("1");
    expect(await made("TOKEN_SHARDS.issue")).toBe(1);
  });

  test("what counts once is presented once, whatever became of it", async () => {
    const fault = (method: string): Fault => ({ binding: "TOKEN_SHARDS", method, how: "lose", error: RETRYABLE });
    await it.set(fault("acceptAssertion"), fault("consume"));
    const { clientId } = client;
    const { tokens, singleUse } = it.stores();
    const use = { shard: laneShard(clientId, "once"), clientId, keyPairId: key.record.keyPairId, now: Date.now() };
    const assertionId = { hash: `${clientId}#once`, expiresAt: Date.now() + MINUTE };
    await expect(tokens.acceptAssertion({ ...use, assertionId })).rejects.toThrow("a fault of the test");
    await expect(singleUse.consume("test", clientId, Date.now() + MINUTE)).rejects.toThrow("a fault of the test");
    const { calls } = await it.counted();
    expect(calls).toEqual(["TOKEN_SHARDS.acceptAssertion", "TOKEN_SHARDS.consume"]);
  });

  test("a change of a client is made once, a revocation until it is answered", async () => {
    const fault = (method: string): Fault => ({ binding: "REGISTRY", method, how: "lose", error: RETRYABLE, times: 1 });
    await it.set(fault("createClient"), fault("updateClient"), fault("deleteClient"), fault("revokeKeyPair"));
    const { apiClients } = it.stores();
    const other = apiClient();
    await expect(apiClients.create(other, auditEvent())).rejects.toThrow("a fault of the test");
    await expect(apiClients.update(client, { name: "Renamed" }, Date.now(), event())).rejects.toThrow();
    const revoked = await apiClients.revokeKeyPair(client, key.record.keyPairId, Date.now(), event());
    expect(revoked.outcome).toBe("done");
    await expect(apiClients.delete(client, { revokeTokens: false }, event())).rejects.toThrow();
    const { calls } = await it.counted();
    expect(calls.filter((call) => /^REGISTRY\..*(Client|KeyPair)$/.test(call))).toEqual([
      "REGISTRY.createClient",
      "REGISTRY.updateClient",
      "REGISTRY.revokeKeyPair",
      "REGISTRY.revokeKeyPair",
      "REGISTRY.deleteClient",
    ]);
  });

  test("a revocation is told to a lane again that failed in passing", async () => {
    const lane = String(laneShards(client.clientId)[2]);
    const fault: Fault = { binding: "TOKEN_SHARDS", method: "addTombstones", how: "refuse", error: RETRYABLE };
    await it.set({ ...fault, name: lane, times: 3 });
    const { apiClients, tokens } = it.stores();
    const result = await apiClients.revokeKeyPair(client, key.record.keyPairId, Date.now(), event());
    expect(result.outcome).toBe("done");
    const request = tokenIssue(client);
    const reference = { ...request.reference, shard: Number(lane) };
    expect((await tokens.issue({ ...request, reference })).outcome).toBe("refused");
  });

  test("reads are made until they are answered", async () => {
    const fault = (binding: Fault["binding"], method: string): Fault => ({
      binding,
      method,
      how: "lose",
      error: RETRYABLE,
      times: 2,
    });
    await it.set(
      fault("REGISTRY", "getClient"),
      fault("REGISTRY", "listClients"),
      fault("REGISTRY", "verificationRecord"),
      fault("REGISTRY", "auditShards"),
      fault("REGISTRY", "recordKeyPairUse"),
      fault("REGISTRY", "firstOrganization"),
      fault("REGISTRY", "getBrowserSession"),
      fault("AUDIT_SHARDS", "query"),
      fault("TOKEN_SHARDS", "introspect"),
    );
    const { apiClients, auditLog, directory, tokens } = it.stores();
    const { organizationId, clientId } = client;
    expect((await apiClients.get(organizationId, clientId))?.clientId).toBe(clientId);
    expect((await apiClients.list(organizationId, { limit: 1 })).items).toHaveLength(1);
    expect((await apiClients.getForVerification(clientId)).record?.clientId).toBe(clientId);
    await apiClients.recordUse({ clientId, keyPairId: key.record.keyPairId, hour: 0 });
    expect((await auditLog.query({ organizationId }, { limit: 1 })).items).toHaveLength(1);
    await directory.firstOrganization();
    await directory.getBrowserSession("none");
    expect(await tokens.introspect({ shard: 0, hash: "none" }, 0)).toBeUndefined();
  });
});
