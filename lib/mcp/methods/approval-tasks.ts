import { approvalPage } from "../../config/endpoints.ts";
import { personOf } from "../../connections/person-connections.ts";
import {
  complete,
  isLost,
  keepOutcome,
  MOST_RUNNING,
  openedCall,
  settled,
  statusNow,
  type TaskOutcome,
  taskEnd,
  taskOf,
  textOutcome,
  UNKNOWN,
} from "../../gateway/approval-task.ts";
import { awaitedApproval, withdrawApproval } from "../../gateway/approve-call.ts";
import { type Admission, isPrepared, isWaiting, OTHER_CALL } from "../../gateway/call-tool.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import { MOMENTARY } from "../../gateway/request-access.ts";
import { mcpApps } from "../../gateway/tool-index.ts";
import { eitherSignal } from "../../kernel/abort.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { refusalFacts } from "../../limits/refusal.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, REFUSED, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { metaOf, type RpcRequest } from "../../protocol/mcp/message.ts";
import { CLIENT_CAPABILITIES } from "../../protocol/mcp/meta.ts";
import { demandTasks, TASK, takesTasks } from "../../protocol/mcp/tasks-extension.ts";
import { type ApprovalRecord, type EndedTask, placeInId } from "../../stores/approvals.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import { INPUT_REQUIRED } from "../../upstream/request-state/held-answer.ts";
import { stateSecretOf } from "../../upstream/request-state/sealed-state.ts";
import { parseExact } from "../../upstream/wire/exact-json.ts";
import { agentSideOf } from "../agent-side.ts";
import { type Caller, type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import { type Answer, collectAnswer } from "../outlet.ts";
import { tellNotConnected } from "./not-connected.ts";
import { type CallingPorts, makeCall, recorded, refusalResult } from "./tools-call.ts";
import { type UsingPorts, upstreamUse } from "./upstream-methods.ts";

/**
 * Tasks of the gateway's own: calls that people approve (D239). Tasks of MCP servers are theirs. The call is made by the agent's
 * `tasks/get` that finds it approved, with the token of that request, and is decided on as every call is.
 */

type TaskPorts = CallingPorts & UsingPorts;

/** The call that a `tasks/get` makes, as if the agent had sent it. */
export interface CarriedCall {
  readonly message: RpcRequest;
  readonly caller: Caller;
}

/** Whether there may be tasks of the gateway's own. */
export function offersTasks(ports: Pick<TaskPorts, "stateSecret" | "configuration">): boolean {
  if (stateSecretOf(ports) === undefined) return false;
  const { apps } = ports.configuration().configuration;
  return mcpApps(apps).some(({ rules = [] }) => rules.some(({ approval }) => approval !== undefined));
}

/** Undefined: the request is no `tasks/get` of the agent that finds its call approved. */
export async function carriedCall(
  message: RpcRequest,
  caller: Caller,
  ports: TaskPorts,
): Promise<CarriedCall | undefined> {
  if (message.method !== "tasks/get" || !takesTasks(caller.envelope?.clientCapabilities ?? {})) return undefined;
  // The method reads it again, and answers where it cannot be read.
  const record = await ownRecord(message, caller, ports).catch(() => undefined);
  const isReady = record?.state === "approved" && record.outcome === undefined;
  return isReady ? carriedOf(record, message, caller, ports) : undefined;
}

/** `tasks/get` */
export async function taskGet(message: RpcRequest, context: MethodContext, ports: TaskPorts): Promise<MethodAnswer> {
  const admission = context.admissions.get(message);
  const found = await ownTask(message, context, ports);
  if (found === undefined) {
    giveBack(admission);
    return ofServers(message, context, ports);
  }
  const { approvalId } = found;
  const made = admission && (await carriedOut(admission, found, message, context, ports));
  const after = admission === undefined ? found : ((await awaitedApproval(approvalId, ports)) ?? found);
  if (made !== undefined) {
    const { result } = made;
    if (isJsonObject(result) && result.isError === true) context.operations.fail(message.id, "tool_error");
    return resultAnswer(taskOf(after, made));
  }
  const now = ports.clock.now();
  // What has ended stays as it is, whatever comes later.
  if (isLost(after, now)) await keepEnd(after, textOutcome(UNKNOWN), "consumed", context, ports);
  const url = approvalPage(approvalId, ports.configuration().configuration);
  return resultAnswer(taskOf(after, await statusNow(after, url, now, ports)));
}

/** `tasks/cancel`: nobody has to decide any more. A call that is begun goes on. */
export async function taskCancel(message: RpcRequest, context: MethodContext, ports: TaskPorts): Promise<MethodAnswer> {
  const record = await ownTask(message, context, ports);
  if (record === undefined) return ofServers(message, context, ports);
  const { identity, operations } = context;
  await withdrawApproval(record, { identity, request: operations.contextOf(message.id) }, ports).catch(notRecorded);
  return resultAnswer({});
}

/** `tasks/update`: the gateway asks nothing by a task, and passes over what is answered nevertheless. */
export async function taskUpdate(message: RpcRequest, context: MethodContext, ports: TaskPorts): Promise<MethodAnswer> {
  const record = await ownTask(message, context, ports);
  return record === undefined ? ofServers(message, context, ports) : resultAnswer({});
}

/** What is no task of the gateway's own may be one of an MCP server. */
function ofServers(message: RpcRequest, context: MethodContext, ports: TaskPorts): Promise<MethodAnswer> {
  if (ports.proxies.apps.length > 0 || !offersTasks(ports)) return upstreamUse(message, context, ports);
  throw new RpcError(INVALID_PARAMS, "There is no task of this id.");
}

function notRecorded(cause: unknown): never {
  if (cause instanceof GatewayError) throw new RpcError(INTERNAL_ERROR, cause.message);
  throw cause;
}

/** @throws RpcError for a client that did not declare the extension with its request */
async function ownTask(
  message: RpcRequest,
  context: MethodContext,
  ports: TaskPorts,
): Promise<ApprovalRecord | undefined> {
  if (offersTasks(ports)) demandTasks(context.envelope?.clientCapabilities ?? {});
  return ownRecord(message, context, ports);
}

/** The approval that a task stands for, where it is of this person and agent and not over for long. */
async function ownRecord(
  { params: { taskId } }: RpcRequest,
  { identity }: Pick<Caller, "identity">,
  ports: TaskPorts,
): Promise<ApprovalRecord | undefined> {
  if (typeof taskId !== "string" || placeInId(taskId) === undefined) return undefined;
  const record = await awaitedApproval(taskId, ports);
  if (record === undefined || ports.clock.now() >= taskEnd(record)) return undefined;
  const person = identity && personOf(identity, ports.ownIssuer);
  const isOwn =
    record.person === person && record.agent === identity?.agent.clientID && record.issuer === identity?.issuer;
  return isOwn ? record : undefined;
}

/**
 * What the agent asked for then, on behalf of whoever asks now. The server learns of an agent that answers no questions: nobody could
 * ask them while the task is asked about.
 */
async function carriedOf(
  record: ApprovalRecord,
  { kind, id, params: { _meta } }: RpcRequest,
  caller: Caller,
  ports: TaskPorts,
): Promise<CarriedCall | undefined> {
  const given = await openedCall(record, ports);
  const { envelope } = caller;
  if (given === undefined || envelope === undefined) return undefined;
  const declared = Object.entries(envelope.clientCapabilities).filter(([name]) => !OF_QUESTIONS.has(name));
  const clientCapabilities = Object.fromEntries(declared);
  const meta = { ...metaOf({ _meta }), [CLIENT_CAPABILITIES]: clientCapabilities };
  const method = "tools/call";
  // As requests are read: numbers that no double holds are in the text alone.
  const text = JSON.stringify({ id, method, params: { ...given, _meta: meta } });
  const { params } = JSON.parse(text) as { readonly params: JsonObject };
  const asking = { ...caller, envelope: { ...envelope, clientCapabilities }, text, task: record.approvalId };
  return { message: { kind, id, method, params }, caller: asking };
}

/** Capabilities by which a server asks something of a client, or answers with another task. */
const OF_QUESTIONS: ReadonlySet<string> = new Set(["elicitation", "sampling", "roots", "extensions"]);

/** What became of the call that was admitted; undefined: it was not made, for which the record has the reason. */
async function carriedOut(
  admission: Admission,
  record: ApprovalRecord,
  message: RpcRequest,
  context: MethodContext,
  ports: TaskPorts,
): Promise<JsonObject | undefined> {
  const carried = await carriedOf(record, message, context, ports);
  if (carried === undefined) {
    giveBack(admission);
    return undefined;
  }
  const collected: Answer[] = [];
  const openAnswer = () => collectAnswer(message.id, (answer) => collected.push(answer));
  const { signal, forget } = eitherSignal(context.signal, AbortSignal.timeout(MOST_RUNNING));
  const silent = { notify: ignore, relay: ignore, hears: false, logLevel: undefined, openAnswer };
  const asking = { ...context, ...carried.caller, signal, ...silent };
  const agent = agentSideOf(carried.message, asking, ports);
  try {
    const later = laterText(admission);
    if (later !== undefined) return { status: "working", statusMessage: later };
    if (!isPrepared(admission) || admission.use?.approvalId !== record.approvalId) {
      const refused = await unmade(admission, carried.message, agent, asking, ports);
      await keepEnd(record, refused, "approved", context, ports);
      return undefined;
    }
    const made = await makeCall(admission, carried.message, agent, asking, ports);
    if (made instanceof GatewayError) return undefined;
    const outcome = outcomeOf(made, collected);
    await keepEnd(record, outcome, "consumed", context, ports);
    return settled(outcome);
  } finally {
    forget();
  }
}

/** Why the call is not made yet, and may be when the agent asks again: it waits at a decision point's service, too (D238). */
function laterText(admission: Admission): string | undefined {
  const isMomentary = admission instanceof GatewayError && MOMENTARY.has(admission.reason ?? "");
  return isMomentary ? admission.message : undefined;
}

/** The agent may have left; its next question hears of it. */
async function keepEnd(
  { approvalId }: ApprovalRecord,
  outcome: TaskOutcome,
  state: EndedTask,
  { request }: MethodContext,
  ports: TaskPorts,
): Promise<void> {
  const kept = keepOutcome(approvalId, outcome, state, request.logger, ports);
  request.waitUntil(kept);
  await kept;
}

/**
 * What the agent would have been answered instead of the call.
 *
 * @throws RpcError for what may be otherwise when it asks again: the task goes on
 */
async function unmade(
  admission: Admission,
  carried: RpcRequest,
  agent: AgentSide,
  asking: MethodContext,
  ports: TaskPorts,
): Promise<TaskOutcome> {
  if (admission instanceof GatewayError) return refusalOutcome(admission);
  if (isPrepared(admission) || isWaiting(admission)) {
    giveBack(admission);
    return textOutcome(OTHER_CALL);
  }
  await recorded(admission, ports);
  return outcomeOf(await tellNotConnected(admission.needs, carried, agent, asking, ports), []);
}

function refusalOutcome(refusal: GatewayError): TaskOutcome {
  if (refusal.limit !== undefined) throw new RpcError(REFUSED, refusal.message, refusalFacts(refusal.limit));
  try {
    return { result: complete(refusalResult(refusal)) };
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    return { error: { code: cause.code, message: cause.message } };
  }
}

function giveBack(admission: Admission | undefined): void {
  if (isPrepared(admission)) admission.giveBack();
}

/** What the agent would have been answered. */
function outcomeOf(made: MethodAnswer, collected: readonly Answer[]): TaskOutcome {
  if (made.kind === "result") return withoutQuestion(made.result);
  if (made.kind === "written") made.answer.commit();
  const [whole] = made.kind === "message" ? [made] : collected;
  // An answer of a server is a text; one that is too long to be collected is an error of ours.
  if (whole === undefined || !("text" in whole)) return textOutcome(TOO_LONG);
  const message = parseExact(whole.text);
  if (!isJsonObject(message)) throw new Error("an answer was written that is none");
  if (isJsonObject(message.error)) return { error: message.error };
  return withoutQuestion(isJsonObject(message.result) ? message.result : {});
}

function withoutQuestion(result: JsonObject): TaskOutcome {
  const isQuestion = result.resultType === INPUT_REQUIRED || result.resultType === TASK;
  return isQuestion ? textOutcome(ASKED) : { result: { ...result, resultType: "complete" } };
}

function ignore(): void {
  // Nobody listens: what there is to tell is in the task.
}

const ASKED =
  "The call was made, and the server asked for more before it does anything: what it asks cannot be answered for a call that waited for an approval.";
const TOO_LONG = "The call was made, and its answer was longer than the answer to a task may be.";
