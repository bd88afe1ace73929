import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { ApprovalRecord } from "../../lib/stores/approvals.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { TokenIssueResult } from "../../lib/stores/tokens.ts";
import { approval, approvalEvent } from "../contract/approval-records.ts";
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

  describe("76. an approval", () => {
    const approvals = () => it.stores().approvals;
    const undelivered = () =>
      it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", from: "object", how: "hang" });
    const killed = async () => {
      await workerd.kill();
      await workerd.restart();
      await it.set();
    };
    const requested = async () => {
      const record = approval();
      await approvals().requestApproval(record, approvalEvent("approval.requested", record));
      return record;
    };
    const decide = ({ approvalId, digest, ...record }: ApprovalRecord) => {
      const decision = { approvalId, digest, state: "approved", by: "user_owner", now: record.requestedAt } as const;
      const event = approvalEvent("approval.approved", { approvalId, digest, ...record });
      return approvals().decideApproval(decision, event);
    };
    const consume = (record: ApprovalRecord, intent = approvalEvent("tool.invoked", record)) => {
      const { approvalId, digest, requestedAt: now } = record;
      return approvals().consumeApproval(
        { approvalId, digest, now },
        intent,
        approvalEvent("approval.consumed", record),
      );
    };
    const stateOf = async ({ approvalId, requestedAt }: ApprovalRecord) =>
      (await approvals().approval(approvalId, requestedAt))?.state;
    const recorded = async ({ organizationId }: ApprovalRecord, type: AuditEvent["type"]) => {
      const { items } = await eventually(
        () => it.stores().auditLog.query({ organizationId, type }, { limit: 9 }),
        (page) => page.items.length > 0,
      );
      return items;
    };

    test("that somebody was asked for waits, and one that somebody gave may be used, each with its record", async () => {
      await undelivered();
      await it.counted();
      const [waiting, given] = [await requested(), await requested()];
      await decide(given);
      await called("AUDIT_SHARDS.appendAccepted", 1);
      await killed();
      expect([await stateOf(waiting), await stateOf(given)]).toEqual(["pending", "approved"]);
      expect(await recorded(waiting, "approval.requested")).toHaveLength(1);
      expect(await recorded(given, "approval.approved")).toHaveLength(1);
      expect(await consume(given)).toBe(true);
    });

    test.each([
      ["before it heard so", { binding: "TOKEN_SHARDS", method: "consumeApproval", from: "worker", how: "stand" }],
      ["before its intent was there", { binding: "AUDIT_SHARDS", method: "begin", from: "worker", how: "hang" }],
    ] as const)(
      "whose call was killed after it was used up, %s, is used up, and its one record reads unknown",
      async (_, fault) => {
        const record = await requested();
        await decide(record);
        await it.set(fault);
        await it.counted();
        const intent = { ...approvalEvent("tool.invoked", record), outcome: "unknown" as const };
        const cut = expect(consume(record, intent)).rejects.toThrow();
        await called(`${fault.binding}.${fault.method}`, 1);
        if (fault.how === "stand")
          await eventually(
            () => stateOf(record),
            (state) => state === "consumed",
          );
        await killed();
        await cut;
        expect(await stateOf(record)).toBe("consumed");
        expect(await consume(record)).toBe(false);
        expect(await recorded(record, "tool.invoked")).toEqual([intent]);
      },
    );

    test("whose call was killed before it was used up is there for the next one", async () => {
      const record = await requested();
      await decide(record);
      await it.set({ binding: "TOKEN_SHARDS", method: "consumeApproval", from: "worker", how: "hang" });
      await it.counted();
      const cut = expect(consume(record)).rejects.toThrow();
      await called("TOKEN_SHARDS.consumeApproval", 1);
      await killed();
      await cut;
      expect(await stateOf(record)).toBe("approved");
      expect(await consume(record)).toBe(true);
      expect(await recorded(record, "tool.invoked")).toHaveLength(1);
    });
  });
});

function isRevoked(result: TokenIssueResult): boolean {
  return result.outcome === "refused" && result.reason === "key_revoked";
}

function newId(): string {
  return crypto.randomUUID();
}
