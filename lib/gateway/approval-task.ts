import { utf8 } from "../kernel/encoding.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import { type SealTerms, seal, unseal } from "../kernel/seal.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import { takesTasks } from "../protocol/mcp/tasks-extension.ts";
import { errorResult } from "../protocol/mcp/tool-result.ts";
import { type ApprovalRecord, type Approvals, type EndedTask, forgottenAt, MOST_OF_TASK } from "../stores/approvals.ts";
import type { AgentSide } from "../upstream/agent-side.ts";
import { type StateSecretPorts, stateSecretOf } from "../upstream/request-state/sealed-state.ts";
import { parseExact } from "../upstream/wire/exact-json.ts";
import { approverText, REFUSED_TEXT } from "./decision/approval.ts";

/**
 * An approval as its agent sees it: a task (SEP-2663), whose id is that of the approval. What the agent asked for and what became of
 * it lie with the approval, sealed with the deployment's secret (D239).
 */

export interface SealedTaskPorts extends StateSecretPorts {
  readonly random: Random;
}

/** What the agent's request would have been answered with: a result, or an error of the protocol. */
export type TaskOutcome = { readonly result: JsonObject } | { readonly error: JsonObject };

/** Milliseconds from one question of the agent to the next, while somebody has to decide and while the call runs. */
const ASK_AGAIN = { decision: 5_000, call: 1_000 };
/** How long a call that a task makes may run, milliseconds. */
export const MOST_RUNNING = 10 * 60_000;

/** Whether this agent may get a task instead of an answer. */
export function waitsByTask({ generation, clientCapabilities }: AgentSide, ports: StateSecretPorts): boolean {
  return generation === "stateless" && takesTasks(clientCapabilities) && stateSecretOf(ports) !== undefined;
}

/** The agent's request for the task of its approval; undefined where there is to be none, or it is too long to be kept. */
export async function sealedCall(
  approvalId: string,
  agent: AgentSide,
  ports: SealedTaskPorts,
): Promise<string | undefined> {
  if (!waitsByTask(agent, ports)) return undefined;
  const { _meta: _, ...params } = agent.params();
  const text = utf8(JSON.stringify(params));
  return text.length > MOST_OF_TASK ? undefined : seal(text, termsOf("call", approvalId, ports), ports.random);
}

/** The params of the request; undefined: there are none, or another secret sealed them. */
export async function openedCall(
  { approvalId, call }: Pick<ApprovalRecord, "approvalId" | "call">,
  ports: StateSecretPorts,
): Promise<JsonObject | undefined> {
  const text = await opened("call", approvalId, call, ports);
  const params = text === undefined ? undefined : parseExact(text);
  return isJsonObject(params) ? params : undefined;
}

/**
 * Keeps how a task ended, so that every later question hears of it. What is too long is kept by the fact; what cannot be kept,
 * the log tells: the agent has it.
 *
 * @param state of the approval: `approved` where the call was not begun
 */
export async function keepOutcome(
  approvalId: string,
  outcome: TaskOutcome,
  state: EndedTask,
  logger: Logger,
  ports: SealedTaskPorts & { readonly stores: { readonly approvals: Pick<Approvals, "keepOutcome"> } },
): Promise<void> {
  const whole = utf8(JSON.stringify(outcome));
  const text = whole.length <= MOST_OF_TASK ? whole : utf8(JSON.stringify(textOutcome(TOO_LONG)));
  try {
    const sealed = await seal(text, termsOf("outcome", approvalId, ports), ports.random);
    await ports.stores.approvals.keepOutcome(approvalId, sealed, state);
  } catch (cause) {
    logger.error("the outcome of an approved call was not kept", { approvalId, cause: causeOf(cause) });
  }
}

/** Until when the task can be asked about, milliseconds since the epoch: the agent has as long for the end as people had to decide. */
export function taskEnd(record: ApprovalRecord): number {
  const { state, expiresAt, begunAt, lifetime } = record;
  const end = Math.max(expiresAt, begunAt === undefined ? 0 : begunAt + MOST_RUNNING) + lifetime;
  return state === "expired" ? Math.min(end, forgottenAt(record)) : end;
}

/** `Task`: what every answer says of it. @param now what became of it, from `statusNow` */
export function taskOf(record: ApprovalRecord, now: JsonObject): JsonObject {
  const { approvalId: taskId, requestedAt, expiresAt, decidedAt, begunAt, state } = record;
  const updatedAt = state === "expired" ? expiresAt : (begunAt ?? decidedAt ?? requestedAt);
  return {
    taskId,
    createdAt: new Date(requestedAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: taskEnd(record) - requestedAt,
    pollIntervalMs: state === "pending" ? ASK_AGAIN.decision : ASK_AGAIN.call,
    ...now,
  };
}

/** `status` and what goes with it (SEP-2663, Task Status). @param url where people decide; undefined: nowhere */
export async function statusNow(
  record: ApprovalRecord,
  url: string | undefined,
  now: number,
  ports: StateSecretPorts,
): Promise<JsonObject> {
  const ended = await endOf(record, ports);
  if (ended !== undefined) return settled(ended);
  switch (record.state) {
    case "pending":
      return { status: "working", statusMessage: `${waitingText(record)} ${whereText(url)}.` };
    case "approved":
      return (await openedCall(record, ports)) === undefined
        ? over(APPROVED)
        : { status: "working", statusMessage: "It is approved." };
    case "refused":
      return over(REFUSED_TEXT);
    case "expired":
      return record.isWithdrawn ? { status: "cancelled" } : over(EXPIRED);
    case "consumed":
      return isLost(record, now) || record.outcome !== undefined
        ? over(UNKNOWN)
        : { status: "working", statusMessage: "It is approved, and the call is being made." };
  }
}

/** Whether nobody will say any more what became of the call. */
export function isLost({ state, outcome, begunAt = 0 }: ApprovalRecord, now: number): boolean {
  return state === "consumed" && outcome === undefined && now >= begunAt + MOST_RUNNING;
}

/** How the task ended; undefined: it has not, or another secret sealed it. */
async function endOf(
  { approvalId, outcome }: ApprovalRecord,
  ports: StateSecretPorts,
): Promise<TaskOutcome | undefined> {
  const text = await opened("outcome", approvalId, outcome, ports);
  const end = text === undefined ? undefined : parseExact(text);
  return isJsonObject(end) ? (end as TaskOutcome) : undefined;
}

/** How a task ended whose request was answered so. */
export function settled(outcome: TaskOutcome): JsonObject {
  if ("result" in outcome) return { status: "completed", result: outcome.result };
  const { message } = outcome.error;
  return { status: "failed", error: outcome.error, ...(typeof message === "string" && { statusMessage: message }) };
}

/** A text for the model: the request would have been answered with a result that has `isError`. */
export function textOutcome(text: string): TaskOutcome {
  return { result: complete(errorResult(text)) };
}

function over(text: string): JsonObject {
  return settled(textOutcome(text));
}

/** For the model. */
export function waitingText(record: ApprovalRecord): string {
  const until = new Date(record.expiresAt).toISOString();
  return `Waits for approval ${approverText(record)}: ${record.approvalId}, until ${until}. The call was not made.`;
}

export function whereText(url: string | undefined): string {
  return url === undefined ? "An operator can approve it" : `It can be approved at ${url}`;
}

/** A result of a call as this revision has it. */
export function complete(result: object): JsonObject {
  return { resultType: "complete", ...result };
}

const APPROVED = "It is approved. Call again with the same arguments.";
const EXPIRED = "The call was not made: nobody approved it in time, or it was not asked for again in time after that.";
export const UNKNOWN =
  "The call was begun, and what became of it is unknown. It is not made again: to make it again, call again and wait for another approval.";
const TOO_LONG = `The call was made, and its answer had more than the ${MOST_OF_TASK} bytes that are kept: it was given once, to the request that made the call.`;

async function opened(
  what: "call" | "outcome",
  approvalId: string,
  sealed: string | undefined,
  ports: StateSecretPorts,
): Promise<string | undefined> {
  if (sealed === undefined || stateSecretOf(ports) === undefined) return undefined;
  const bytes = await unseal(sealed, termsOf(what, approvalId, ports));
  return bytes && new TextDecoder().decode(bytes);
}

function termsOf(what: "call" | "outcome", approvalId: string, ports: StateSecretPorts): SealTerms {
  const secret = stateSecretOf(ports);
  if (secret === undefined) throw new Error("there is no secret to seal tasks with");
  return { secret, purpose: `countersign approved ${what}`, bound: approvalId };
}
