import { approvalPage } from "../../config/endpoints.ts";
import { personOf } from "../../connections/person-connections.ts";
import {
  complete,
  keepOutcome,
  openedCall,
  over,
  settled,
  statusNow,
  type TaskOutcome,
  taskEnd,
  taskOf,
} from "../../gateway/approval-task.ts";
import { awaitedApproval, withdrawApproval } from "../../gateway/approve-call.ts";
import { type Admission, isPrepared, isWaiting } from "../../gateway/call-tool.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { refusalFacts } from "../../limits/refusal.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, REFUSED, RpcError } from "../../protocol/mcp/json-rpc.ts";
import { metaOf, type RpcRequest } from "../../protocol/mcp/message.ts";
import { CLIENT_CAPABILITIES } from "../../protocol/mcp/meta.ts";
import { demandTasks, takesTasks } from "../../protocol/mcp/tasks-extension.ts";
import { errorResult } from "../../protocol/mcp/tool-result.ts";
import { type ApprovalRecord, placeInId } from "../../stores/approvals.ts";
import { stateSecretOf } from "../../upstream/request-state/sealed-state.ts";
import { parseExact } from "../../upstream/wire/exact-json.ts";
import { agentSideOf } from "../agent-side.ts";
import { type Caller, type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import { type Answer, answerText, collectAnswer } from "../outlet.ts";
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
export function offersTasks(ports: Pick<TaskPorts, "tools" | "proxies" | "stateSecret" | "configuration">): boolean {
  if (stateSecretOf(ports) === undefined) return false;
  const isOfServer = ports.proxies.apps.some(({ rules = [] }) => rules.some(({ approval }) => approval !== undefined));
  return isOfServer || [...ports.tools.values()].some(({ approval }) => approval !== undefined);
}

/** Undefined: the request is no `tasks/get` of the agent that finds its call approved. */
export async function carriedCall(
  message: RpcRequest,
  caller: Caller,
  ports: TaskPorts,
): Promise<CarriedCall | undefined> {
  if (message.method !== "tasks/get" || !takesTasks(caller.envelope?.clientCapabilities ?? {})) return undefined;
  const record = await ownRecord(message, caller, ports);
  return record?.state === "approved" ? carriedOf(record, message, caller, ports) : undefined;
}

/** `tasks/get` */
export async function taskGet(message: RpcRequest, context: MethodContext, ports: TaskPorts): Promise<MethodAnswer> {
  const found = await ownTask(message, context, ports);
  if (found === undefined) return ofServers(message, context, ports);
  const admission = context.admissions.get(message);
  const made = admission && (await carriedOut(admission, found, message, context, ports));
  const record = admission === undefined ? found : ((await awaitedApproval(found.approvalId, ports)) ?? found);
  const url = approvalPage(record.approvalId, ports.configuration().configuration);
  return resultAnswer(taskOf(record, made ?? (await statusNow(record, url, ports.clock.now(), ports))));
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
  demandTasks(context.envelope?.clientCapabilities ?? {});
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
  const record = await ownRecord(message, context, ports);
  if (record !== undefined) demandTasks(context.envelope?.clientCapabilities ?? {});
  return record;
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
  const params = await openedCall(record, ports);
  const { envelope } = caller;
  if (params === undefined || envelope === undefined) return undefined;
  const declared = Object.entries(envelope.clientCapabilities).filter(([name]) => !OF_QUESTIONS.has(name));
  const clientCapabilities = Object.fromEntries(declared);
  const meta = { ...metaOf({ _meta }), [CLIENT_CAPABILITIES]: clientCapabilities };
  const message = { kind, id, method: "tools/call", params: { ...params, _meta: meta } };
  const text = JSON.stringify({ id, method: message.method, params: message.params });
  return { message, caller: { ...caller, envelope: { ...envelope, clientCapabilities }, text } };
}

/** Capabilities by which a server asks something of a client, or answers with another task. */
const OF_QUESTIONS: ReadonlySet<string> = new Set(["elicitation", "sampling", "roots", "extensions"]);

/** What became of the call that was admitted; undefined: another request makes it. */
async function carriedOut(
  admission: Admission,
  record: ApprovalRecord,
  message: RpcRequest,
  context: MethodContext,
  ports: TaskPorts,
): Promise<JsonObject | undefined> {
  const carried = await carriedOf(record, message, context, ports);
  if (carried === undefined) return undefined;
  if (admission instanceof GatewayError) return refused(admission);
  const collected: Answer[] = [];
  const openAnswer = () => collectAnswer(message.id, (answer) => collected.push(answer));
  const silent = { notify: ignore, relay: ignore, hears: false, logLevel: undefined, openAnswer };
  const asking = { ...context, ...carried.caller, signal: context.signal, ...silent };
  const agent = agentSideOf(carried.message, asking, ports);
  if (!isPrepared(admission)) {
    await recorded(admission, ports);
    if (isWaiting(admission)) return over(ANOTHER);
    const told = await tellNotConnected(admission.needs, carried.message, agent, asking, ports);
    return settled(outcomeOf(told, collected));
  }
  if (admission.use?.approvalId !== record.approvalId) {
    admission.giveBack();
    return over(ANOTHER);
  }
  const made = await makeCall(admission, carried.message, agent, asking, ports);
  if (made instanceof GatewayError) return undefined;
  const outcome = outcomeOf(made, collected);
  const isKept = keepOutcome(record.approvalId, outcome, context.request.logger, ports);
  // The agent may have left; its next question hears of it.
  context.request.waitUntil(isKept);
  await isKept;
  return settled(outcome);
}

/** @throws RpcError for what may be otherwise when the agent asks again */
function refused(refusal: GatewayError): JsonObject {
  if (refusal.limit !== undefined) throw new RpcError(REFUSED, refusal.message, refusalFacts(refusal.limit));
  try {
    return settled({ result: complete(refusalResult(refusal)) });
  } catch (cause) {
    if (!(cause instanceof RpcError)) throw cause;
    return settled({ error: { code: cause.code, message: cause.message } });
  }
}

/** What the agent would have been answered. */
function outcomeOf(made: MethodAnswer, collected: readonly Answer[]): TaskOutcome {
  if (made.kind === "result") return withoutQuestion(made.result);
  if (made.kind === "written") made.answer.commit();
  const [whole] = made.kind === "message" ? [made] : collected;
  const message = whole && parseExact(answerText(whole));
  if (!isJsonObject(message)) throw new Error("an answer was written that is none");
  if (isJsonObject(message.error)) return { error: message.error };
  return withoutQuestion(isJsonObject(message.result) ? message.result : {});
}

function withoutQuestion(result: JsonObject): TaskOutcome {
  const { resultType = "complete" } = result;
  return { result: complete(resultType === "complete" ? result : errorResult(ASKED)) };
}

function ignore(): void {
  // Nobody listens: what there is to tell is in the task.
}

const ANOTHER =
  "The call was not made: what was approved is not what it would be now, as its tool, its rules or who has to approve it have changed. Call again with the same arguments.";
const ASKED =
  "The call was made, and the server asked for more before it does anything: what it asks cannot be answered for a call that waited for an approval.";
