import { type Approvals, approvalPlace, placeInId } from "../../lib/stores/approvals.ts";
import { auditShardName, auditShardOfEvent } from "./audit-shard-name.ts";
import type { StateBindings } from "./env.ts";
import { auditShardOf, tokenShardOf } from "./objects.ts";

/**
 * Calls that people approve, all of an organization in one token shard. The consumption and the intent of the call are durable
 * together there: the intent lies in the outbox, which brings it to its audit shard whatever becomes of the caller. The caller brings
 * it there, too, before the call is made, so that the completion finds it; whichever comes second changes nothing (D230).
 */
export function cloudflareApprovals(env: StateBindings): Approvals {
  const ofOrganization = (organizationId: string) => tokenShardOf(env, approvalPlace(organizationId));
  const ofId = (approvalId: string) => {
    const place = placeInId(approvalId);
    return place === undefined ? undefined : tokenShardOf(env, place);
  };
  return {
    requestApproval: (record, event) => ofOrganization(record.organizationId).requestApproval(record, event),
    approval: async (approvalId, now) => ofId(approvalId)?.approval(approvalId, now),
    liveApproval: (organizationId, digest, now) =>
      ofOrganization(organizationId).liveApproval(organizationId, digest, now),
    listApprovals: (filter, page) => ofOrganization(filter.organizationId).listApprovals(filter, page),
    decideApproval: async (decision, event) => ofId(decision.approvalId)?.decideApproval(decision, event),
    consumeApproval: async (use, intent, event) => {
      const isConsumed = (await ofId(use.approvalId)?.consumeApproval(use, intent, event)) ?? false;
      if (isConsumed) await auditShardOf(env, auditShardName(auditShardOfEvent(intent))).begin(intent);
      return isConsumed;
    },
    withdrawApproval: async (approvalId, now, event) =>
      (await ofId(approvalId)?.withdrawApproval(approvalId, now, event)) ?? false,
    keepOutcome: async (approvalId, outcome, state) => ofId(approvalId)?.keepOutcome(approvalId, outcome, state),
  };
}
