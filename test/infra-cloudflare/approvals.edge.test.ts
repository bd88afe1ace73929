import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApprovalRecord } from "../../lib/stores/approvals.ts";
import { approval, approvalEvent } from "../contract/approval-records.ts";
import { eventually } from "../support/eventually.ts";
import { type Fault, type OpenFaultyProduct, openFaultyProduct } from "./support/faulty.ts";
import { CONFIGURATION, VARIABLES } from "./support/token-requests.ts";

/** Approval and intent are in different objects: whatever fails between them, nothing is begun twice, and a record is left. */
describe("76. an approval that is used up", () => {
  let it: OpenFaultyProduct;
  beforeAll(async () => {
    it = await openFaultyProduct(CONFIGURATION, VARIABLES);
  });
  afterAll(() => it.close());

  const approved = async (): Promise<ApprovalRecord> => {
    const record = approval();
    const { approvals } = it.stores();
    await approvals.requestApproval(record, approvalEvent("approval.requested", record));
    const { approvalId, digest, requestedAt: now } = record;
    const decision = { approvalId, digest, state: "approved", by: "user_owner", now } as const;
    await approvals.decideApproval(decision, approvalEvent("approval.approved", record));
    return record;
  };
  const consume = (record: ApprovalRecord, intent = approvalEvent("tool.invoked", record)) => {
    const { approvalId, digest, requestedAt: now } = record;
    const event = approvalEvent("approval.consumed", record);
    return it.stores().approvals.consumeApproval({ approvalId, digest, now }, intent, event);
  };
  const outcomes = async ({ organizationId }: ApprovalRecord) => {
    const page = await it.stores().auditLog.query({ organizationId, type: "tool.invoked" }, { limit: 9 });
    return page.items.map(({ outcome }) => outcome);
  };

  const FAULTS: readonly (readonly [string, Fault])[] = [
    ["whose answer is lost", { binding: "TOKEN_SHARDS", method: "consumeApproval", how: "lose", times: 1 }],
    [
      "whose audit shard cannot be reached",
      { binding: "AUDIT_SHARDS", method: "begin", from: "worker", how: "refuse" },
    ],
  ];

  test.each(FAULTS)("%s leaves a record that reads unknown, and begins no call", async (_, fault) => {
    const record = await approved();
    await it.set(fault);
    await expect(consume(record)).rejects.toThrow();
    await it.set();
    expect(await consume(record)).toBe(false);
    const left = await eventually(
      () => outcomes(record),
      (found) => found.length > 0,
    );
    expect(left).toEqual(["unknown"]);
  });

  test("is completed although its intent arrives by the outbox, before or after", async () => {
    const record = await approved();
    const intent = approvalEvent("tool.invoked", record);
    await it.set({ binding: "AUDIT_SHARDS", method: "appendAccepted", how: "late", times: 1 });
    expect(await consume(record, intent)).toBe(true);
    const { auditLog } = it.stores();
    await auditLog.complete(intent, { outcome: "success" });
    await it.set();
    const { organizationId } = record;
    await eventually(
      () => auditLog.query({ organizationId, type: "approval.consumed" }, { limit: 9 }),
      ({ items }) => items.length > 0,
    );
    expect(await outcomes(record)).toEqual(["success"]);
  });
});
