import { completing } from "../audit/record.ts";
import type { ApprovalRecord } from "../stores/approvals.ts";
import type { AuditEvent } from "../stores/audit-log.ts";
import type { RuledArguments } from "../tool-rules/argument-rules.ts";
import { ENDED, ENDS_TOO_SOON } from "./access-refusals.ts";
import { type ApprovalPorts, answeredOf, beginApproved, requestApproval } from "./approve-call.ts";
import { type AuditPorts, beginAudit, recordDenial } from "./audit-call.ts";
import type { NotConnected } from "./credentials/person-token.ts";
import { refusedAnyway } from "./decision/approval.ts";
import { decideCall, type Permit } from "./decision/decide.ts";
import { UNKNOWN_TOOL } from "./decision/locate.ts";
import type { AccessApprovals, ApprovedUse, Asked, DecisionPorts, NeededApproval, Refusal } from "./decision/step.ts";
import { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
import { countCall, countDenied, enterCall, type LimitPorts } from "./limit-calls.ts";
import { type CredentialPorts, obtainCredential } from "./obtain-credential.ts";
import type { ProxyPorts } from "./proxied/ask.ts";
import { locateProxied } from "./proxied/locate.ts";
import { type AccessPorts, endsTooSoon, isRefusal, requestAccess } from "./request-access.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { CallableIndex, CallableTool, MadeCall } from "./tool-index.ts";

/** A call that may be made, with what it will carry. */
export interface PreparedCall {
  readonly call: ToolCall;
  readonly located: CallableTool;
  readonly credential: OutboundCredential;
  /** What a person has approved, and the call uses up; absent: nobody had to. */
  readonly use?: ApprovedUse;
  /** When an approval at a decision point's service ends that it rests on, milliseconds since the epoch: it does not begin after that. */
  readonly until?: number;
  /** Of the audit record; absent: nothing else is to be said of it. */
  readonly details?: Readonly<Record<string, string>>;
  /** Gives back what it took of limits: it is not made after all. */
  readonly giveBack: () => void;
}

/** A call that may be made once its person has connected an account. Nothing is recorded of it yet: it may be waited for. */
export interface UnconnectedCall {
  readonly call: ToolCall;
  readonly located: CallableTool;
  readonly needs: NotConnected;
}

/** A call that a person has to approve first. Nothing is recorded of it yet but that somebody was asked: it may be waited for. */
export interface WaitingCall {
  readonly call: ToolCall;
  readonly located: CallableTool;
  readonly waits: ApprovalRecord;
}

/** A call that may be made, or why it is not: told in the protocol's own answer. */
export type Admission = PreparedCall | UnconnectedCall | WaitingCall | GatewayError;

/** Everything that the life of a call takes. */
export type CallPorts = DecisionPorts &
  ProxyPorts &
  CredentialPorts &
  ApprovalPorts &
  AccessPorts &
  LimitPorts & {
    readonly tools: CallableIndex;
  };

/** Refusals of a call that refuse the HTTP request, so that the agent learns of them below the protocol. */
const HTTP_REFUSALS: ReadonlySet<GatewayErrorCode> = new Set<GatewayErrorCode>([
  "insufficient_scope",
  "insufficient_authentication",
  "token_refused",
  "not_recorded",
]);

/**
 * Decides on the calls of a message before anything of it runs, so that a refusal can still be an HTTP answer: then it is
 * the first of those, else there is one admission for each call.
 */
export async function admitCalls(
  calls: readonly ToolCall[],
  ports: CallPorts,
): Promise<GatewayError | readonly Admission[]> {
  const admissions = await Promise.all(calls.map((call) => admit(call, ports)));
  const refusal = admissions.find(
    (admission) => admission instanceof GatewayError && HTTP_REFUSALS.has(admission.code),
  );
  if (!(refusal instanceof GatewayError)) return admissions;
  for (const admission of admissions) if (isPrepared(admission)) admission.giveBack();
  return refusal;
}

export function isPrepared(admission: Admission | undefined): admission is PreparedCall {
  return admission !== undefined && "credential" in admission;
}

export function isWaiting(admission: Admission | undefined): admission is WaitingCall {
  return admission !== undefined && "waits" in admission;
}

/** Decides anew on a call whose person has connected meanwhile, or that somebody has decided on. */
export function admitAgain({ call }: Pick<UnconnectedCall, "call">, ports: CallPorts): Promise<Admission> {
  return admit(call, ports);
}

/** Records that a call is not made, as its person has not connected. Throws `not_recorded`. */
export function recordUnconnected({ call, located, needs }: UnconnectedCall, ports: AuditPorts): Promise<void> {
  const { connector, why, missing } = needs;
  const scopes = missing.length > 0 && { missing: missing.join(" ") };
  return recordDenial("not_connected", located, call, ports, { connector, why, ...scopes });
}

/** Records that a call is not made, as nobody has approved it yet. Throws `not_recorded`. */
export function recordWaiting({ call, located, waits }: WaitingCall, ports: AuditPorts): Promise<void> {
  return recordDenial("approval_needed", located, call, ports, { approvalId: waits.approvalId });
}

/** Makes a call that was admitted. Throws `not_recorded` when the call is not made; what the upstream does wrong is a result. */
export async function callTool(prepared: PreparedCall, ports: ApprovalPorts & LimitPorts): Promise<MadeCall> {
  const { call, located, credential, giveBack } = prepared;
  const leave = await entered(prepared, ports);
  try {
    const record = await begun(prepared, ports).catch((cause: unknown) => {
      giveBack();
      throw cause;
    });
    const invoke = () => located.invoke(located.argumentsOf(call), credential, call);
    return await completing(record, call.request, ports, invoke);
  } finally {
    leave();
  }
}

async function begun({ use, until, located, call, details }: PreparedCall, ports: ApprovalPorts): Promise<AuditEvent> {
  if (until !== undefined && until <= ports.clock.now()) {
    const { code, message, reason = code } = ENDED;
    await recordDenial(reason, located, call, ports, details);
    throw new GatewayError(code, message, { reason });
  }
  if (use === undefined) return beginAudit(located, call, ports, details);
  try {
    return await beginApproved(use, located, call, ports, details);
  } catch (cause) {
    if (cause instanceof GatewayError && cause.code === "approval_used")
      await recordDenial(cause.code, located, call, ports, { approvalId: use.approvalId });
    throw cause;
  }
}

async function entered({ call, located, giveBack }: PreparedCall, ports: AuditPorts & LimitPorts): Promise<() => void> {
  try {
    return await enterCall(targetOf(located), call, ports);
  } catch (cause) {
    giveBack();
    if (cause instanceof GatewayError) await recordLimited(cause, located, call, ports);
    throw cause;
  }
}

/** By the limit's name: one that is used up is one refusal, however often it is met (D157). */
function recordLimited(
  { limit }: GatewayError,
  located: CallableTool,
  call: ToolCall,
  ports: AuditPorts,
): Promise<void> {
  return recordDenial("limited", located, call, ports, { limit: limit?.name ?? "" });
}

function targetOf({ app, tool }: CallableTool) {
  return { app: app.name, tool: tool.localName };
}

async function admit(call: ToolCall, ports: CallPorts): Promise<Admission> {
  try {
    return await prepareCall(call, ports);
  } catch (cause) {
    if (cause instanceof GatewayError) return cause;
    throw cause;
  }
}

/** The first half of a call's life, while its answer can still be an HTTP status. Throws a `GatewayError`: then it is not made. */
async function prepareCall(call: ToolCall, ports: CallPorts): Promise<PreparedCall | UnconnectedCall | WaitingCall> {
  const located = ports.tools.get(call.name) ?? (await locateProxied(call, ports));
  if (located === undefined) {
    // Counted as what is hidden is: else the count would tell which names there are.
    countDenied(call, ports);
    throw new GatewayError(UNKNOWN_TOOL.code, UNKNOWN_TOOL.message);
  }
  const { clock } = ports;
  const askedAt = clock.now();
  const decision = await decided(askedCall(located, call), located, call, ports);
  if ("outcome" in decision) return refused(decision, located, call, ports);
  const decisionMs = clock.now() - askedAt;
  const giveBack = await countCall(targetOf(located), readArguments(located, call), call, ports);
  if (giveBack instanceof GatewayError) {
    await recordLimited(giveBack, located, call, ports);
    throw giveBack;
  }
  try {
    const countedAt = clock.now();
    const credential = await obtainCredential(located, call, ports);
    const steps = longSteps({ decisionMs, credentialMs: clock.now() - countedAt });
    // To get it may have taken a while.
    if (endsTooSoon(located, decision.until, ports)) return await refused(ENDS_TOO_SOON, located, call, ports);
    return { call, located, credential, giveBack, ...decision, ...withDetails(decision.details, steps) };
  } catch (cause) {
    giveBack();
    if (cause instanceof GatewayError && cause.needs !== undefined) return { call, located, needs: cause.needs };
    throw cause;
  }
}

/** Milliseconds: what took less explains no slow call, and most calls ask nobody. */
const LONG_STEP = 10;

/** What took long before the call was made, as its record has it: `durationMs` begins after that. */
function longSteps(steps: Readonly<Record<string, number>>): Readonly<Record<string, string>> | undefined {
  const long = Object.entries(steps).filter(([, taken]) => taken >= LONG_STEP);
  return long.length === 0 ? undefined : Object.fromEntries(long.map(([name, taken]) => [name, String(taken)]));
}

function withDetails(details: PreparedCall["details"], steps: PreparedCall["details"]): Pick<PreparedCall, "details"> {
  return steps === undefined ? {} : { details: { ...details, ...steps } };
}

/**
 * Decides on a call, and requests access where a decision point's denial offers that. What is approved there at once, or was, is presented,
 * and everything is decided anew.
 */
async function decided(
  asked: Asked,
  located: CallableTool,
  call: ToolCall,
  ports: CallPorts,
  approvals: AccessApprovals = new Map(),
): Promise<Refusal | (Permit & Pick<PreparedCall, "details">)> {
  const decision = await decideCall({ ...asked, approvals }, ports);
  if (!("outcome" in decision)) {
    if (endsTooSoon(located, decision.until, ports)) return ENDS_TOO_SOON;
    const tasks = [...approvals.values()].map(({ taskId }) => taskId).join(" ");
    return tasks === "" ? decision : { ...decision, details: { taskId: tasks } };
  }
  const { access } = decision;
  const { ruled } = asked;
  if (access === undefined || (ruled !== undefined && ruled.outcome !== "applied")) return decision;
  const anyway = access.denial.request && refusedAnyway(asked);
  if (anyway !== undefined) return anyway;
  const outcome = await requestAccess({ ...decision, access }, approvals.get(access.policy), located, call, ports);
  if (isRefusal(outcome)) return outcome;
  return decided(asked, located, call, ports, new Map([...approvals, [access.policy, outcome]]));
}

/** @throws GatewayError unless somebody has to approve the call first */
async function refused(
  refusal: Refusal,
  located: CallableTool,
  call: ToolCall,
  ports: CallPorts,
): Promise<WaitingCall> {
  const { code, message, reason, details, needs, approval } = refusal;
  countDenied(call, ports);
  if (approval !== undefined && call.task !== undefined) {
    await recordDenial("approval_used", located, call, ports, { approvalId: call.task });
    throw new GatewayError("approval_used", OTHER_CALL);
  }
  if (approval !== undefined) return { call, located, waits: await requested(approval, located, call, ports) };
  if (reason !== undefined) {
    const recorded = recordDenial(reason, located, call, ports, details);
    // What is hidden is unknown also while nothing can be recorded, which the log tells.
    await (code === UNKNOWN_TOOL.code ? recorded.catch(() => undefined) : recorded);
  }
  throw new GatewayError(code, message, { ...needs, reason });
}

/** Of a task: nobody is asked for an approval that its agent does not know of. */
export const OTHER_CALL =
  "The call was not made: what was approved is not what it would be now, as its tool, its rules or who has to approve it have changed. Call again with the same arguments.";

async function requested(
  approval: NeededApproval,
  located: CallableTool,
  call: ToolCall,
  ports: CallPorts,
): Promise<ApprovalRecord> {
  try {
    return await requestApproval(approval, call, ports);
  } catch (cause) {
    if (cause instanceof GatewayError && cause.code === "too_many_approvals")
      await recordDenial(cause.code, located, call, ports);
    throw cause;
  }
}

function askedCall(located: CallableTool, call: ToolCall): Asked {
  const { app, kind, tool, scopes, hasNoRule, pin, rules, results, stepUp, approval, requestOf } = located;
  const ruled = located.ruledOf?.(call);
  const params = { name: tool.localName, ...policyArguments(ruled, call.arguments) };
  return {
    app,
    scopes,
    ...(hasNoRule && { hasNoRule }),
    ...(pin && { pin }),
    ...(rules && { rules }),
    ...(results && { results }),
    ...(ruled && { ruled }),
    stepUp,
    subject: { method: "tools/call", tool: { params } },
    ...(kind === "proxy" && { written: located.argumentsOf(call) }),
    ...(approval && {
      approval,
      outgoing: () => located.argumentsOf(call),
      answered: () => answeredOf(located, call),
    }),
    ...(requestOf && { request: () => requestOf(call) }),
    caller: call,
  };
}

/** Policies see the arguments after the rules; where these refuse them, there are none. */
export function policyArguments(ruled: RuledArguments | undefined, given: unknown): { readonly arguments?: unknown } {
  if (ruled === undefined) return { arguments: given ?? {} };
  return ruled.outcome === "applied" ? { arguments: ruled.read } : {};
}

function readArguments({ ruledOf }: CallableTool, call: ToolCall): unknown {
  const ruled = ruledOf?.(call);
  return ruled?.outcome === "applied" ? ruled.read : call.arguments;
}
