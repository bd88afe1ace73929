import { approvalPage } from "../../config/endpoints.ts";
import { statusNow, taskOf, waitingText, waitsByTask, whereText } from "../../gateway/approval-task.ts";
import { type ApprovalPorts, awaitedApproval } from "../../gateway/approve-call.ts";
import type { WaitingCall } from "../../gateway/call-tool.ts";
import { pause } from "../../kernel/timers.ts";
import { RpcError, URL_ELICITATION_REQUIRED } from "../../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import { TASK } from "../../protocol/mcp/tasks-extension.ts";
import { errorResult } from "../../protocol/mcp/tool-result.ts";
import type { ApprovalRecord } from "../../stores/approvals.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import type { Repeated, SealingPorts } from "../../upstream/request-state/sealed-state.ts";
import { type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import { actionOf, askPerson, PATIENCE, type Repetition, readOwnState, wayOf } from "./not-connected.ts";

/** What it takes to tell an agent that somebody has to approve its call (D230). */
export type WaitingPorts = ApprovalPorts & SealingPorts & { readonly publicURL: string };

const QUESTION = "approval";
/** Milliseconds from one look at what became of it to the next. */
const LOOK_AGAIN = 1_000;

/** The repetition of a call after which the agent was asked to let its person decide. */
export interface AwaitedRepetition extends Pick<Repetition, "action"> {
  readonly approvalId: string;
  readonly asked: Repeated | undefined;
}

/** Undefined: the call is none. */
export async function readAwaited(
  message: RpcRequest,
  agent: AgentSide,
  caller: Pick<MethodContext, "identity">,
  ports: WaitingPorts,
): Promise<AwaitedRepetition | undefined> {
  const opened = await readOwnState(message, agent, caller, ports);
  if (opened?.kind !== "approval") return undefined;
  return { approvalId: opened.request, asked: opened.asked, action: actionOf(agent, QUESTION) };
}

/**
 * Waits until somebody has decided, at most as long as clients take a silence. "Accept" says that the link was opened, and is the
 * client's word: it approves nothing. What the store says counts.
 */
export async function isDecided(
  { approvalId, action }: AwaitedRepetition,
  { signal }: Pick<MethodContext, "signal">,
  ports: WaitingPorts,
): Promise<boolean> {
  if (action !== "accept") return false;
  const until = ports.clock.now() + PATIENCE;
  for (let left = PATIENCE; left > 0 && !signal.aborted; left = until - ports.clock.now()) {
    const record = await awaitedApproval(approvalId, ports);
    if (record?.state !== "pending") return true;
    await pause(Math.min(LOOK_AGAIN, left), signal);
  }
  return false;
}

/**
 * Tells the agent that its call waits. Where its own person decides, the agent is asked to open the link as for connections (D214);
 * else it gets a task where it takes one (D239), and where it does not it is told, and makes the call again.
 *
 * @param wasAsked the agent was asked to open the link already
 * @throws RpcError for an agent that takes an error
 */
export async function tellWaiting(
  { waits }: WaitingCall,
  message: RpcRequest,
  agent: AgentSide,
  context: MethodContext,
  ports: WaitingPorts,
  wasAsked = false,
): Promise<MethodAnswer> {
  const url = approvalPage(waits.approvalId, ports.configuration().configuration);
  const isTask = waits.call !== undefined && waitsByTask(agent, ports);
  const way = waits.by === "self" && !(wasAsked && isTask) ? wayOf(message, agent, ports) : "words";
  if (way === "words" && isTask) return asTask(waits, url, ports);
  if (way === "words" || url === undefined) return inWords(waits, url);
  const question = { mode: "url", url, message: forPerson(waits) };
  if (way === "error") {
    const elicitations = [{ ...question, elicitationId: waits.approvalId }];
    throw new RpcError(URL_ELICITATION_REQUIRED, textOf(waits, url), { elicitations });
  }
  const { inputResponses, requestState } = agent.params();
  const asked = {
    ...(inputResponses !== undefined && { inputResponses }),
    ...(requestState !== undefined && { requestState }),
  };
  const state = { kind: "approval", request: waits.approvalId, asked } as const;
  return askPerson({ name: QUESTION, question, state }, message, agent, context, ports);
}

/** The same for an agent whose person did not open the link. Nobody has refused the call by that. */
export function tellUnopened({ waits }: WaitingCall, ports: WaitingPorts): MethodAnswer {
  return inWords(waits, approvalPage(waits.approvalId, ports.configuration().configuration));
}

function inWords(waits: ApprovalRecord, url: string | undefined): MethodAnswer {
  return resultAnswer({ ...errorResult(textOf(waits, url)) });
}

/** The task is as durable as the approval that it stands for. */
async function asTask(waits: ApprovalRecord, url: string | undefined, ports: WaitingPorts): Promise<MethodAnswer> {
  const now = await statusNow(waits, url, ports.clock.now(), ports);
  return resultAnswer({ resultType: TASK, ...taskOf(waits, now) });
}

/** For the model. */
function textOf(waits: ApprovalRecord, url: string | undefined): string {
  return `${waitingText(waits)} ${whereText(url)}; call again with the same arguments after that.`;
}

/** For the person. */
function forPerson({ app, tool }: ApprovalRecord): string {
  return `Look at the call of "${tool}" that your agent wants to make at "${app}", and approve or refuse it.`;
}
