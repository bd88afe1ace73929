import { completing } from "../../../audit/record.ts";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, REFUSED } from "../../../protocol/mcp/json-rpc.ts";
import { WithheldError } from "../../../tool-rules/result-rule.ts";
import type { ResultRules } from "../../../tool-rules/result-rules.ts";
import { rulesTogether } from "../../../tool-rules/server-rules.ts";
import type { Forwarded, ForwardedCall } from "../../../upstream/answer.ts";
import { callOutcome } from "../../../upstream/answer.ts";
import { failureOf, refusedMessage } from "../../../upstream/failure-of.ts";
import { rulesOf } from "../../../upstream/names/rules-of.ts";
import { UpstreamRefusal } from "../../../upstream/refusal.ts";
import { type AuditedSubject, type AuditPorts, appendRefusal, beginRecord, describeSubject } from "../../audit-call.ts";
import type { DecisionPorts, Refusal } from "../../decision/step.ts";
import { GatewayError } from "../../gateway-error.ts";
import { countCall, type LimitPorts } from "../../limit-calls.ts";
import { forwardRuled, type ResultShape, ruledForwarded, withheldAnswer } from "../../ruled-answer.ts";
import type { MadeCall } from "../../tool-index.ts";
import type { Proxies } from "../proxies.ts";
import {
  appCredential,
  appDestination,
  type ForwardingPorts,
  forwardRequest,
  stoppedUpstream,
  tellLinks,
  upstreamPrincipal,
  whileOpen,
} from "../reach-upstream.ts";
import { auditedUse, decideUse, type UpstreamUse, type UseCaller } from "./use.ts";

export type UsePorts = DecisionPorts &
  LimitPorts &
  AuditPorts &
  ForwardingPorts & { readonly proxies: Pick<Proxies, "givenLinks"> };

/**
 * Forwards what an agent asks an upstream for that is no tool: policies decide, it carries a token of its own, and what reads
 * something is recorded, all as for a call. Throws a `GatewayError` when it is not forwarded.
 */
export async function forwardUse(
  use: UpstreamUse,
  caller: UseCaller,
  gateway: UsePorts,
): Promise<Forwarded & Pick<MadeCall, "needs">> {
  const audited = auditedUse(use);
  const decided = await decideAndRecord(use, audited, caller, gateway);
  if (typeof decided !== "function") throw new GatewayError(decided.code, decided.message, decided.needs);
  const notMade = (cause: unknown): never => {
    decided();
    throw cause;
  };
  const credential = await appCredential(use.app, caller, gateway).catch(notMade);
  const send = () => forwarded(use, credential, caller, gateway);
  if (audited === undefined) return send();
  const event = await describeSubject("unknown", audited, caller, gateway);
  return completing(await beginRecord(event, caller, gateway).catch(notMade), caller.request, gateway, send);
}

/** The same for what is not answered: without a word where it is refused. Throws `not_recorded`. */
export async function deliverUse(
  use: UpstreamUse,
  caller: UseCaller,
  gateway: UsePorts,
  deliver: () => Promise<Pick<ForwardedCall, "outcome" | "reason">>,
): Promise<void> {
  const audited = auditedUse(use);
  const decided = await decideAndRecord(use, audited, caller, gateway);
  if (typeof decided !== "function" || audited === undefined) return;
  const event = await describeSubject("unknown", audited, caller, gateway);
  await completing(await beginRecord(event, caller, gateway), caller.request, gateway, deliver);
}

/** Why it does not go out; else what gives back what limits counted of it, should it not go out after all. */
async function decideAndRecord(
  use: UpstreamUse,
  audited: AuditedSubject | undefined,
  caller: UseCaller,
  gateway: UsePorts,
): Promise<Refusal | (() => void)> {
  const refusal = await decideUse(use, caller, gateway);
  if (refusal?.reason !== undefined && audited !== undefined)
    await recordRefused(refusal.reason, refusal.details, audited, caller, gateway);
  if (refusal !== undefined) return refusal;
  const counted = await countCall({ app: use.app.name }, use.params, caller, gateway);
  if (typeof counted === "function") return counted;
  const details = { limit: counted.limit?.name ?? "" };
  if (audited !== undefined) await recordRefused("limited", details, audited, caller, gateway);
  throw counted;
}

async function forwarded(
  use: UpstreamUse,
  credential: Awaited<ReturnType<typeof appCredential>>,
  caller: UseCaller,
  gateway: UsePorts,
): Promise<ForwardedCall & Pick<MadeCall, "needs">> {
  const { app, method, params, untold } = use;
  const { id } = caller.agent;
  const request = { id, method, params, rules: rulesOf(app, method, tellLinks(app, caller, gateway)) };
  const open = whileOpen(app, caller.signal, gateway);
  try {
    if (untold !== undefined) throw untold.cause;
    const within = { ...caller, signal: open.signal };
    const { forwarded, facts } = await forwardRuled(
      within,
      resultsOf(use),
      (ruled) => forwardRequest(request, appDestination(app), credential, ruled, gateway),
      shapeOf(method),
    );
    return { ...callOutcome(facts), ...forwarded };
  } catch (cause) {
    if (cause instanceof WithheldError)
      return { outcome: "success", ...withheldAnswer(cause, caller.agent, shapeOf(method)) };
    const thrown = open.isStopped() ? stoppedUpstream() : cause;
    if (thrown instanceof GatewayError && thrown.needs !== undefined) {
      const error = { code: REFUSED, message: thrown.message };
      const outcome = { outcome: "denied", reason: thrown.code } as const;
      return { ...refusedMessage(error, undefined, caller.agent), ...outcome, needs: thrown.needs };
    }
    const failure = failureOf(thrown, { signal: caller.signal, app });
    if (failure === undefined) throw thrown;
    if (isUnserved(thrown, use, caller, gateway)) {
      const { outcome, reason } = failure;
      const unknown = { code: METHOD_NOT_FOUND, message: "The MCP server does not serve this method." };
      return { ...refusedMessage(unknown, 404, caller.agent), outcome, reason };
    }
    const { outcome, reason, text, error = { code: INTERNAL_ERROR, message: text }, status } = failure;
    if (failure.error === undefined && outcome === "upstream_error")
      caller.request.logger.warn("the upstream did not do what it was asked for", {
        app: app.name,
        method,
        reason,
        cause: failure.cause,
      });
    const refused = refusedMessage(error, status, caller.agent);
    return { outcome, reason, ...ruledForwarded(refused, resultsOf(use), caller.agent, shapeOf(method)) };
  } finally {
    open.done();
  }
}

/** A task does not say of which tool it is: all rules for results of the app hold for it. */
function resultsOf({ app, method }: UpstreamUse): (() => ResultRules) | undefined {
  const rules = method.startsWith("tasks/") ? rulesTogether(app.rules) : undefined;
  return rules && (() => rules);
}

/** The result of a call that is a task is asked for by itself (MCP 2025-11-25), or stands in the task. */
function shapeOf(method: string): ResultShape {
  return method === "tasks/result" ? "call" : "task";
}

/** Servers of the field say so with a status alone. */
const UNSERVED: ReadonlySet<number> = new Set([400, 404, 405, 501]);

/** Of MCP's own methods it is so where the server never declared them. */
function isUnserved(
  thrown: unknown,
  { app, method, subject }: UpstreamUse,
  caller: UseCaller,
  gateway: UsePorts,
): boolean {
  if (!(thrown instanceof UpstreamRefusal) || thrown.error !== undefined || !UNSERVED.has(thrown.status)) return false;
  if (subject.kind === "method") return true;
  const { generations, introductions } = gateway.proxies;
  const principal = upstreamPrincipal(app, caller.identity);
  const own = caller.agent.generation;
  const said = introductions.get(app.name, principal, generations.known(app.name, principal, own) ?? own);
  const [family = ""] = method.split("/", 1);
  return said !== undefined && said.capabilities[family === "completion" ? "completions" : family] === undefined;
}

async function recordRefused(
  reason: string,
  details: Refusal["details"],
  audited: AuditedSubject,
  caller: UseCaller,
  gateway: UsePorts,
): Promise<void> {
  const event = await describeSubject("denied", audited, caller, gateway);
  await appendRefusal({ ...event, reason, details: { ...event.details, ...details } }, caller, gateway);
}
