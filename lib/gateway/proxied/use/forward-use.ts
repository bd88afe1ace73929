import { INTERNAL_ERROR } from "../../../mcp/json-rpc.ts";
import { callOutcome } from "../../../proxy/call-outcome.ts";
import { failureOf } from "../../../proxy/failure-of.ts";
import type { Forwarded, ForwardedCall } from "../../../proxy/forwarded.ts";
import { rulesOf } from "../../../proxy/names/rules-of.ts";
import { refusedMessage } from "../../../proxy/refused-message.ts";
import { appendRecord, beginRecord, completeAudit, describeSubject } from "../../audit-call.ts";
import type { Gateway } from "../../gateway.ts";
import { appCredential, appDestination } from "../app-credential.ts";
import { forwardRequest } from "../forward-request.ts";
import { decideUse } from "./decide.ts";
import { auditedUse } from "./record.ts";
import type { UpstreamUse, UseCaller } from "./use.ts";

/**
 * Forwards what an agent asks an upstream for that is no tool: policies decide, it carries a token of its own, and what reads
 * something is recorded, all as for a call. Throws a `GatewayError` when it is not forwarded.
 */
export async function forwardUse(use: UpstreamUse, caller: UseCaller, gateway: Gateway): Promise<Forwarded> {
  const audited = auditedUse(use);
  const denial = await decideUse(use, caller, gateway);
  if (denial !== undefined) {
    if (audited !== undefined) await recordDenied(denial.policy, audited, caller, gateway);
    throw denial.error;
  }
  const credential = await appCredential(use.app, caller, gateway);
  const send = () => forwarded(use, credential, caller, gateway);
  if (audited === undefined) return send();
  const event = await describeSubject("unknown", audited, caller, gateway);
  return completeAudit(await beginRecord(event, caller, gateway), caller, gateway, send);
}

async function forwarded(
  use: UpstreamUse,
  credential: Awaited<ReturnType<typeof appCredential>>,
  caller: UseCaller,
  gateway: Gateway,
): Promise<ForwardedCall> {
  const { app, method, params } = use;
  const { id } = caller.agent;
  const request = { id, method, params, rules: rulesOf(app, method) };
  try {
    const answer = await forwardRequest(request, appDestination(app), credential, caller, gateway);
    return { ...answer.forwarded, ...callOutcome(answer.facts) };
  } catch (thrown) {
    const failure = failureOf(thrown, { signal: caller.signal, app });
    if (failure === undefined) throw thrown;
    const { outcome, reason, text, error = { code: INTERNAL_ERROR, message: text }, status, cause } = failure;
    if (failure.error === undefined && outcome === "upstream_error")
      caller.request.logger.warn("the upstream did not do what it was asked for", {
        app: app.name,
        method,
        reason,
        cause,
      });
    return { ...refusedMessage(error, status, caller.agent), outcome, reason };
  }
}

async function recordDenied(
  policy: string,
  audited: NonNullable<ReturnType<typeof auditedUse>>,
  caller: UseCaller,
  gateway: Gateway,
): Promise<void> {
  const event = await describeSubject("denied", audited, caller, gateway);
  const details = { ...event.details, policy };
  await appendRecord({ ...event, reason: "policy", details }, caller, gateway);
}
