import { sha256base64url } from "#sha256";
import { ulid } from "../../lib/kernel/ids.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import { type ApprovalRecord, approvalSubject, newApprovalId } from "../../lib/stores/approvals.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { auditEvent, MINUTE, newOrganizationId } from "./records.ts";

/** A call that waits for approval, of an organization of its own. */
export function approval(fields: Partial<ApprovalRecord> = {}): ApprovalRecord {
  const { organizationId = newOrganizationId(), requestedAt = Date.now(), lifetime = 10 * MINUTE } = fields;
  return {
    approvalId: newApprovalName(organizationId, requestedAt),
    organizationId,
    digest: newApprovalDigest(),
    ...{ app: "ledger", tool: "createPayment", upstream: "https://api.example/v1" },
    arguments: '{"amount":12345678901234567890,"to":"ü"}',
    ...{ person: "user_ada", agent: "client_agent", issuer: "https://idp.example" },
    ...{ by: "owners", separate: false, state: "pending" },
    ...{ requestedAt, lifetime, expiresAt: requestedAt + lifetime },
    ...fields,
  };
}

export function newApprovalName(organizationId: string, time = Date.now()): string {
  return newApprovalId(organizationId, ulid(time, random));
}

export function newApprovalDigest(): string {
  return sha256base64url(crypto.randomUUID());
}

export function approvalEvent(type: AuditEvent["type"], record: ApprovalRecord): AuditEvent {
  const { id, time } = auditEvent();
  return { id, time, type, outcome: "success", ...approvalSubject(record) };
}
