import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { TokenIssueResult } from "../../lib/stores/tokens.ts";
import { apiClient, auditEvent, tokenIssue } from "../contract/records.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { type BareWorkerd, startBareWorkerd } from "./support/bare-workerd.ts";
import { bundledWorker } from "./support/bundle.ts";
import { compiledConfiguration } from "./support/configuration.ts";
import { type FaultyProduct, faultyProduct } from "./support/faulty.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

/** So many that each of the eight lanes gets some. */
const lanes = Array.from({ length: 32 });

/** Each test ends the process with SIGKILL while a change is stored and its recipients know nothing. */
describe("after a kill of the process between a commit and its delivery", () => {
  let workerd: BareWorkerd;
  let it: FaultyProduct;
  beforeAll(async () => {
    const configuration = await compiledConfiguration(CONFIGURATION);
    const bundle = await bundledWorker(configuration.path, "test/infra-cloudflare/support/faulty-worker.js");
    const port = await freePort();
    workerd = await startBareWorkerd({ port, bundle: bundle.path, variables: { REGION: "us", ...VARIABLES } });
    it = faultyProduct((path, init) => fetch(`http://127.0.0.1:${port}${path}`, init));
    await configuration.remove();
    await bundle.remove();
  });
  beforeEach(() => it.set());
  afterAll(() => workerd.stop());

  const event = ({ organizationId }: Pick<ApiClientRecord, "organizationId">) => auditEvent({ organizationId });
  const created = async () => {
    const client = apiClient();
    await it.stores().apiClients.create(client, event(client));
    return client;
  };
  const called = (call: string, count: number) => {
    let seen = 0;
    return eventually(
      async () => {
        seen += (await it.counted()).calls.filter((name) => name === call).length;
        return seen;
      },
      (calls) => calls >= count,
    );
  };

  test("8. a revocation reaches every lane by the alarm, without another call of the registry", async () => {
    const client = await created();
    await it.set({ binding: "TOKEN_SHARDS", method: "addTombstones", how: "hang" });
    await it.counted();
    const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
    const revocation = it.stores().apiClients.revokeKeyPair(client, keyPairId, Date.now(), event(client));
    const cut = expect(revocation).rejects.toThrow();
    await called("TOKEN_SHARDS.addTombstones", 8);
    await workerd.kill();
    await cut;
    await workerd.restart();
    // Fresh assertions each time: one that was used is refused for that.
    const tokens = () => it.stores().tokens;
    const issues = () => Promise.all(lanes.map(() => tokens().issue(tokenIssue(client, { assertionId: newId() }))));
    await eventually(issues, (results) => results.every(isRevoked));
    expect((await issues()).every(isRevoked)).toBe(true);
  });

  test("the event of an issued token is recorded by the alarm, once, without another call of the shard", async () => {
    const client = await created();
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "hang" });
    await it.counted();
    const issue = tokenIssue(client, { assertionId: "one" });
    expect(await it.stores().tokens.issue(issue)).toEqual({ outcome: "issued" });
    await called("AUDIT_SHARDS.appendAccepted", 1);
    await workerd.kill();
    await workerd.restart();
    const { organizationId } = client;
    const { items } = await eventually(
      () => it.stores().auditLog.query({ organizationId, type: "token.issued" }, { limit: 10 }),
      (page) => page.items.length > 0,
    );
    expect(items).toEqual([issue.event]);
    expect(await it.stores().tokens.introspect(issue.reference, issue.token.issuedAt)).toEqual(issue.token);
  });

  test("an event that arrived, and of which the shard had not forgotten it, is recorded once", async () => {
    const client = await created();
    const issue = tokenIssue(client, { assertionId: "one" });
    expect(await it.stores().tokens.issue(issue)).toEqual({ outcome: "issued" });
    const records = async () => {
      const { organizationId } = client;
      return (await it.stores().auditLog.query({ organizationId, type: "token.issued" }, { limit: 10 })).items;
    };
    await eventually(records, (items) => items.length > 0);
    await workerd.kill();
    await workerd.restart();
    // By the alarm, which finds the entry as it was.
    await called("AUDIT_SHARDS.appendAccepted", 1);
    await eventually(records, (items) => items.length > 0);
    expect(await records()).toEqual([issue.event]);
  });

  test("a token whose answer was cut off is the same token when it is asked for again", async () => {
    const issue = tokenIssue(await created(), { assertionId: "one" });
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "hang" });
    await it.stores().tokens.issue(issue);
    await workerd.kill();
    await workerd.restart();
    expect(await it.stores().tokens.issue(issue)).toEqual({ outcome: "issued" });
    const another = tokenIssue(await created());
    const reference = { ...another.reference, shard: issue.reference.shard };
    const replay = { ...issue, token: another.token, reference };
    expect(await it.stores().tokens.issue(replay)).toEqual({ outcome: "refused", reason: "assertion_used" });
  });
});

function isRevoked(result: TokenIssueResult): boolean {
  return result.outcome === "refused" && result.reason === "key_revoked";
}

function newId(): string {
  return crypto.randomUUID();
}
