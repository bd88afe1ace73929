import { openEmbeddedStore } from "../../../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../../../lib/kernel/clock.ts";
import type { Me } from "../../../../lib/management/schemas/profile.ts";
import type { ApprovalRecord } from "../../../../lib/stores/approvals.ts";
import { approval, approvalEvent } from "../../../contract/approval-records.ts";
import { request } from "./requests.ts";
import type { ConsoleServer } from "./server.ts";
import type { Visitor } from "./visitor.ts";

/** A call that waits for approval in the organization of a visitor, of whom it is unless stated. */
export async function waitingApproval(
  server: ConsoleServer,
  visitor: Visitor,
  fields: Partial<ApprovalRecord> = {},
): Promise<ApprovalRecord> {
  const { userId, organizationId } = await request<Me>(server, visitor, "GET", "/me");
  const record = approval({ organizationId, person: userId, ...fields });
  await inStore(server, (approvals) => approvals.requestApproval(record, approvalEvent("approval.requested", record)));
  return record;
}

/** Somebody else is faster. */
export async function refusedElsewhere(server: ConsoleServer, record: ApprovalRecord): Promise<void> {
  const { approvalId, digest } = record;
  const decision = { approvalId, digest, state: "refused", by: "operator", now: Date.now() } as const;
  await inStore(server, (approvals) => approvals.decideApproval(decision, approvalEvent("approval.refused", record)));
}

type Approvals = ReturnType<typeof openEmbeddedStore>["stores"]["approvals"];

async function inStore(server: ConsoleServer, change: (approvals: Approvals) => Promise<unknown>): Promise<void> {
  const store = openEmbeddedStore(server.store, systemClock);
  try {
    await change(store.stores.approvals);
  } finally {
    await store.close();
  }
}
