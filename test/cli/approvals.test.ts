import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import type { ApprovalRecord } from "../../lib/stores/approvals.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { approval, approvalEvent, newApprovalDigest } from "../contract/approval-records.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";

let at: Workplace;
let byOwners: ApprovalRecord;
let bySelf: ApprovalRecord;
beforeAll(async () => {
  at = await createWorkplace();
  const made = await at.here("client", "create", "-name", "CI", "-keyOut", `${at.folder}/key.pem`);
  expect(made.code).toBe(0);
  [byOwners, bySelf] = await withStore(async (stores) => {
    const organizationId = (await stores.directory.firstOrganization())?.organizationId as string;
    const records = [
      approval({ organizationId }),
      approval({ organizationId, by: "self", digest: `-${newApprovalDigest().slice(1)}` }),
    ] as const;
    for (const record of [...records, approval()])
      await stores.approvals.requestApproval(record, approvalEvent("approval.requested", record));
    return records;
  });
}, 60_000);
afterAll(() => at?.remove());

test("76. what waits is listed with its arguments, approved for owners by its digest, and once", async () => {
  const listed = JSON.parse((await at.countersign("approvals", "list")).stdout);
  const ids = listed.items.map(({ approvalId }: ApprovalRecord) => approvalId);
  expect(new Set(ids)).toEqual(new Set([byOwners.approvalId, bySelf.approvalId]));
  expect(listed.items[0]).toMatchObject({ state: "pending", arguments: byOwners.arguments });
  const { approvalId, digest } = byOwners;
  const other = await at.here("approvals", "approve", "-approval", approvalId, "-digest", "another");
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining("The digest is not the approval's") });
  const done = await at.countersign("approvals", "approve", "-approval", approvalId, "-digest", digest);
  expect([done.code, JSON.parse(done.stdout)]).toMatchObject([
    0,
    { state: "approved", decidedBy: expect.stringMatching(/^operator:/) },
  ]);
  const again = await at.here("approvals", "refuse", "-approval", approvalId, "-digest", digest);
  expect(again).toMatchObject({ code: 4, stderr: expect.stringContaining("it is approved") });
});

test("76. what its person approves the operator refuses, and does not approve", async () => {
  const { approvalId, digest } = bySelf;
  const named = ["-approval", approvalId, "-digest", digest];
  expect(await at.here("approvals", "approve", ...named)).toMatchObject({ code: 4, stdout: "" });
  expect((await at.here("approvals", "refuse", ...named)).code).toBe(0);
  const refused = JSON.parse((await at.here("approvals", "list", "-state", "refused")).stdout);
  expect(refused.items).toMatchObject([{ approvalId }]);
  expect((await at.here("approvals", "list", "-state", "open")).code).toBe(2);
});

async function withStore<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const executor = openSqlite(at.store);
  try {
    return await work(sqlStores(executor, Date));
  } finally {
    executor.close();
  }
}
