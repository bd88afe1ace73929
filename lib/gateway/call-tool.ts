import { completing } from "../audit/record.ts";
import { type AuditPorts, beginAudit, recordDenial } from "./audit-call.ts";
import type { NotConnected } from "./credentials/person-token.ts";
import { decide } from "./decision/decide.ts";
import { UNKNOWN_TOOL } from "./decision/locate.ts";
import type { Asked, DecisionPorts } from "./decision/step.ts";
import { GatewayError, type GatewayErrorCode } from "./gateway-error.ts";
import { countCall, countDenied, enterCall, type LimitPorts } from "./limit-calls.ts";
import { type CredentialPorts, obtainCredential } from "./obtain-credential.ts";
import type { ProxyPorts } from "./proxied/ask.ts";
import { locateProxied } from "./proxied/locate.ts";
import type { OutboundCredential, ToolCall } from "./tool-call.ts";
import type { CallableIndex, CallableTool, MadeCall } from "./tool-index.ts";

/** A call that may be made, with what it will carry. */
export interface PreparedCall {
  readonly call: ToolCall;
  readonly located: CallableTool;
  readonly credential: OutboundCredential;
  /** Gives back what it took of limits: it is not made after all. */
  readonly giveBack: () => void;
}

/** A call that may be made once its person has connected an account. Nothing is recorded of it yet: it may be waited for. */
export interface UnconnectedCall {
  readonly call: ToolCall;
  readonly located: CallableTool;
  readonly needs: NotConnected;
}

/** A call that may be made, or why it is not: told in the protocol's own answer. */
export type Admission = PreparedCall | UnconnectedCall | GatewayError;

/** Everything that the life of a call takes. */
export type CallPorts = DecisionPorts &
  ProxyPorts &
  CredentialPorts &
  AuditPorts &
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

/** Decides anew on a call whose person has connected meanwhile. */
export function admitAgain({ call }: Pick<UnconnectedCall, "call">, ports: CallPorts): Promise<Admission> {
  return admit(call, ports);
}

/** Records that a call is not made, as its person has not connected. Throws `not_recorded`. */
export function recordUnconnected({ call, located, needs }: UnconnectedCall, ports: AuditPorts): Promise<void> {
  const { connector, why, missing } = needs;
  const scopes = missing.length > 0 && { missing: missing.join(" ") };
  return recordDenial("not_connected", located, call, ports, { connector, why, ...scopes });
}

/** Makes a call that was admitted. Throws `not_recorded` when the call is not made; what the upstream does wrong is a result. */
export async function callTool(prepared: PreparedCall, ports: AuditPorts & LimitPorts): Promise<MadeCall> {
  const { call, located, credential, giveBack } = prepared;
  const leave = await entered(prepared, ports);
  try {
    const record = await beginAudit(located, call, ports).catch((cause: unknown) => {
      giveBack();
      throw cause;
    });
    const invoke = () => located.invoke(located.argumentsOf(call), credential, call);
    return await completing(record, call.request, ports, invoke);
  } finally {
    leave();
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
async function prepareCall(call: ToolCall, ports: CallPorts): Promise<PreparedCall | UnconnectedCall> {
  const located = ports.tools.get(call.name) ?? (await locateProxied(call, ports));
  if (located === undefined) {
    // Counted as what is hidden is: else the count would tell which names there are.
    countDenied(call, ports);
    throw new GatewayError(UNKNOWN_TOOL.code, UNKNOWN_TOOL.message);
  }
  const refusal = await decide(askedCall(located, call), ports);
  if (refusal !== undefined) {
    const { code, message, reason, details, needs } = refusal;
    countDenied(call, ports);
    if (reason !== undefined) {
      const recorded = recordDenial(reason, located, call, ports, details);
      // What is hidden is unknown also while nothing can be recorded, which the log tells.
      await (code === UNKNOWN_TOOL.code ? recorded.catch(() => undefined) : recorded);
    }
    throw new GatewayError(code, message, needs);
  }
  const giveBack = await countCall(targetOf(located), call.arguments, call, ports);
  if (giveBack instanceof GatewayError) {
    await recordLimited(giveBack, located, call, ports);
    throw giveBack;
  }
  try {
    const credential = await obtainCredential(located, call, ports);
    return { call, located, credential, giveBack };
  } catch (cause) {
    giveBack();
    if (cause instanceof GatewayError && cause.needs !== undefined) return { call, located, needs: cause.needs };
    throw cause;
  }
}

function askedCall(located: CallableTool, call: ToolCall): Asked {
  const { app, kind, tool, scopes, hasNoRule, stepUp, requestOf } = located;
  const params = { name: tool.localName, arguments: call.arguments ?? {} };
  return {
    app,
    scopes,
    ...(hasNoRule && { hasNoRule }),
    stepUp,
    subject: { method: "tools/call", tool: { params } },
    ...(kind === "proxy" && { written: located.argumentsOf(call) }),
    ...(requestOf && { request: () => requestOf(call) }),
    caller: call,
  };
}
