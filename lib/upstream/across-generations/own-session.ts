import { isJsonObject } from "../../kernel/json.ts";
import { metaOf } from "../../protocol/mcp/message.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { KINDS } from "../catalog/kinds.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { wrappedInputRequests } from "../names/rules-of.ts";
import { boundTo, InvalidRequestState, openState, sealState, stateSecretOf } from "../request-state/sealed-state.ts";
import { leaveSession } from "../session/end-session.ts";
import { sendInSession } from "../session/session-request.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";
import type { Attached, Question, Turn } from "../waiting/waiting-calls.ts";
import { forSession } from "./for-session.ts";
import { canBeAsked, MAY_ASK, withoutQuestions } from "./input-requests.ts";
import { askingAnswer, failedAnswer } from "./own-answer.ts";
import { beginSession, requestInSharedSession } from "./shared-session.ts";

/**
 * A request of an agent without session at an upstream with sessions: one session for it alone, or one that the principal's
 * requests share where the configuration says so. What the upstream asks meanwhile becomes a request for input, and the call
 * waits until the agent repeats its request with that (D119).
 *
 * @throws InvalidRequestState; UpstreamRefusal; UpstreamFailure
 */
export async function requestInOwnSession(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const { agent, app, principal, shared } = upstream;
  const attached = { upstream, listener, progressToken: metaOf(request.params).progressToken };
  if (agent.generation === "stateless" && request.params.requestState !== undefined)
    return resume(request, upstream, attached);
  const sent = forSession(request, agent);
  const declared = asDeclared(request, upstream);
  const { waitingCalls } = shared;
  const canWait = waitingCalls !== undefined && canBeAsked(declared.agent.clientCapabilities);
  if (app.shareable && !canWait) return requestInSharedSession(sent, declared, listener, deadline);
  const session = await beginSession(LISTS.has(request.method) ? asHeard(upstream) : declared, deadline);
  if (!canWait) {
    const answering = sendInSession(session, sent, declared, listener, deadline);
    return answering.finally(() => leaveSession(session, declared));
  }
  const call = { principal, request: sent, session, instance: shared };
  return answerOf(await waitingCalls.start(call, { ...attached, upstream: declared }), request, upstream);
}

/** What servers list goes by what the client could be asked, though it is not asked meanwhile. */
const LISTS: ReadonlySet<string> = new Set(Object.values(KINDS).map(({ method }) => method));

/** Nobody is asked while requests run that cannot be repeated with an answer. */
function asDeclared({ method }: UpstreamRequest, upstream: Upstream): Upstream {
  return MAY_ASK.has(method) ? asHeard(upstream) : asMute(upstream);
}

/** Nobody can be asked where no call can wait. */
function asHeard(upstream: Upstream): Upstream {
  const canWait = upstream.shared.waitingCalls !== undefined && stateSecretOf(upstream.shared) !== undefined;
  return upstream.agent.generation === "stateless" && canWait ? upstream : asMute(upstream);
}

function asMute(upstream: Upstream): Upstream {
  const { agent } = upstream;
  return { ...upstream, agent: { ...agent, clientCapabilities: withoutQuestions(agent.clientCapabilities) } };
}

/** The agent comes back with what the upstream asked for; where it brings nothing, it is asked again. */
async function resume(request: UpstreamRequest, upstream: Upstream, attached: Attached): Promise<UpstreamAnswer> {
  const { principal, shared } = upstream;
  const { requestState, inputResponses } = request.params;
  const opened = await openState(requestState, boundTo(request, upstream), shared);
  if (opened.kind !== "waiting") throw new InvalidRequestState();
  const [name = "", written] = opened.call.split("/");
  const round = Number(written);
  const given = isJsonObject(inputResponses) ? inputResponses[keyOf(round)] : undefined;
  const back = { principal, name, round, ...(isJsonObject(given) && { result: given }) };
  const turn = await shared.waitingCalls?.resume(back, attached);
  if (turn === undefined) throw over();
  return answerOf(turn, request, upstream);
}

function over(): InvalidRequestState {
  return new InvalidRequestState(
    "invalid requestState: the call that it belongs to does not wait any more. Make the call anew, without requestState.",
    "call_over",
  );
}

async function answerOf(turn: Turn, request: UpstreamRequest, upstream: Upstream): Promise<UpstreamAnswer> {
  if (turn.kind === "answered") return turn.answer;
  if (turn.kind === "crowded") return failedAnswer(CROWDED, request, upstream);
  const { name, question } = turn;
  const state = { kind: "waiting", call: `${name}/${question.round}` } as const;
  const sealed = await sealState(state, boundTo(request, upstream), upstream.shared);
  const asked = { [keyOf(question.round)]: question.asked };
  return askingAnswer(wrappedInputRequests(asked, upstream.app), sealed, upstream);
}

const CROWDED = "The MCP server asked for input, and too many calls wait for input already.";

function keyOf(round: Question["round"]): string {
  return `input-${round}`;
}
