import type { CallConnections, ConnectionWant, ConnectLink } from "../../connections/person-connections.ts";
import { type NotConnected, wantingMore } from "../../gateway/credentials/person-token.ts";
import { principalOf } from "../../gateway/identity.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { REFUSED, RpcError, URL_ELICITATION_REQUIRED } from "../../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import { errorResult } from "../../protocol/mcp/tool-result.ts";
import { MAY_ASK } from "../../upstream/across-generations/input-requests.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import { INPUT_REQUIRED } from "../../upstream/request-state/held-answer.ts";
import {
  boundTo,
  InvalidRequestState,
  openState,
  type Repeated,
  type RequestState,
  type SealingPorts,
  sealState,
  stateSecretOf,
} from "../../upstream/request-state/sealed-state.ts";
import type { MethodAnswer, MethodContext } from "../caller.ts";
import { resultAnswer } from "../caller.ts";

/** What it takes to tell an agent that its person has to connect an account (D214). */
export interface ConnectPorts extends SealingPorts {
  /** Absent: no app needs accounts of people. */
  readonly connections?: Pick<CallConnections, "ask" | "connected"> | undefined;
}

/** How long a repeated request waits for the person, milliseconds: proxies and clients of the field take 30 s for a silence. */
export const PATIENCE = 25_000;

/** The only question that we ask. */
const QUESTION = "connect";

/** The repetition of a request after which the agent was asked to let its person connect (MCP 2026-07-28, Multi Round-Trip Requests). */
export interface Repetition {
  /** What the person was asked to connect. */
  readonly scopes: readonly string[];
  /** `accept`: the link was opened, no more. Absent: the agent does not say. */
  readonly action: "accept" | "decline" | "cancel" | undefined;
}

/** Undefined: the request is none, or carries a state of somebody else, which an upstream may know. */
export async function readRepetition(
  message: RpcRequest,
  agent: AgentSide,
  caller: Pick<MethodContext, "identity">,
  ports: ConnectPorts,
): Promise<Repetition | undefined> {
  if (ports.connections === undefined) return undefined;
  const opened = await readOwnState(message, agent, caller, ports);
  return opened?.kind === "connect" ? { scopes: opened.scopes, action: actionOf(agent, QUESTION) } : undefined;
}

/** The state that a request repeats, where we have sealed it for this request. */
export async function readOwnState(
  { method }: RpcRequest,
  agent: AgentSide,
  caller: Pick<MethodContext, "identity">,
  ports: SealingPorts,
): Promise<RequestState | undefined> {
  if (agent.generation !== "stateless" || !canSeal(ports)) return undefined;
  const params = agent.params();
  if (params.requestState === undefined) return undefined;
  try {
    return await openState(params.requestState, boundOf(method, params, caller), ports);
  } catch (cause) {
    if (cause instanceof InvalidRequestState) return undefined;
    throw cause;
  }
}

/** Why a request with a state that is nobody's is not carried out. */
export function invalidRequestState(): RpcError {
  const { code, message, data } = new InvalidRequestState().error;
  return new RpcError(code, message, data);
}

/**
 * The agent without what it repeats its request with: no upstream knows of it.
 * @param asked what the request had repeated before we asked
 */
export function withoutRepetition(agent: AgentSide, asked: Repeated = {}): AgentSide {
  const { requestState: _, inputResponses: __, ...others } = agent.params();
  const params = { ...others, ...asked };
  return { ...agent, params: () => params };
}

/** A call as it was before the agent was asked what a state of our own is about: it is decided on, and approved, as that. */
export async function withoutOwnState<Call extends { readonly agent: AgentSide }>(
  request: RpcRequest,
  call: Call,
  caller: Pick<MethodContext, "identity">,
  ports: SealingPorts,
): Promise<Call> {
  const state = await readOwnState(request, call.agent, caller, ports);
  if (state?.kind === "connect") return { ...call, agent: withoutRepetition(call.agent) };
  if (state?.kind === "approval") return { ...call, agent: withoutRepetition(call.agent, state.asked) };
  return call;
}

export function isDeclined(repetition: Pick<Repetition, "action"> | undefined): boolean {
  return repetition?.action === "decline" || repetition?.action === "cancel";
}

/** Waits for the person of a repeated request, who may be on the provider's page now. */
export async function hasConnected(
  want: ConnectionWant,
  { scopes, action }: Repetition,
  { signal }: Pick<MethodContext, "signal">,
  { connections }: ConnectPorts,
): Promise<boolean> {
  if (connections === undefined || action !== "accept") return false;
  return connections.connected(wantingMore(want, scopes), PATIENCE, signal);
}

/**
 * Tells the agent what its person has to do, as it can take it: as a question in the answer (MCP 2026-07-28), as the error of
 * 2025-11-25, or as text for the model, which is what most agents take. It never refuses the agent's own token: that one is good.
 *
 * @throws RpcError for an agent that takes an error, and where the request has no results that models read
 */
export async function tellNotConnected(
  needs: NotConnected,
  message: RpcRequest,
  agent: AgentSide,
  context: MethodContext,
  ports: ConnectPorts,
): Promise<MethodAnswer> {
  const way = wayOf(message, agent, ports);
  const { session } = agent;
  const asking = session && { sessionHash: session.reference.sessionHash, isElicited: way === "error" };
  const link = await ports.connections?.ask(needs.want, context.operations.contextOf(message.id), asking);
  if (link === undefined) return inWords(message, `${notMade(needs)} ${TOO_OFTEN}`);
  if (way === "words") return inWords(message, `${notMade(needs)} ${openLink(link)}`);
  const question = { mode: "url", url: link.url, message: forPerson(needs) };
  if (way === "error") {
    const elicitations = [{ ...question, elicitationId: link.id }];
    throw new RpcError(URL_ELICITATION_REQUIRED, notMade(needs), { elicitations });
  }
  const state = { kind: "connect", request: link.id, scopes: needs.want.scopes } as const;
  return askPerson({ name: QUESTION, question, state }, message, agent, context, ports);
}

/** What the person is asked in the answer of a request (MCP 2026-07-28, Multi Round-Trip Requests). */
interface PersonQuestion {
  readonly name: string;
  readonly question: JsonObject;
  readonly state: RequestState;
}

export async function askPerson(
  { name, question, state }: PersonQuestion,
  message: RpcRequest,
  agent: AgentSide,
  context: Pick<MethodContext, "identity">,
  ports: SealingPorts,
): Promise<MethodAnswer> {
  return resultAnswer({
    resultType: INPUT_REQUIRED,
    inputRequests: { [name]: { method: "elicitation/create", params: question } },
    requestState: await sealState(state, boundOf(message.method, agent.params(), context), ports),
  });
}

/** The same for an agent whose person does not want to. */
export function tellDeclined(needs: NotConnected, message: RpcRequest): MethodAnswer {
  return inWords(message, `${notMade(needs)} ${DECLINED}`);
}

type Way = "question" | "error" | "words";

/** Revisions before 2025-11-25 have no URL mode, and `elicitation: {}` means forms alone (MCP, Elicitation, Capabilities). */
export function wayOf({ method }: RpcRequest, agent: AgentSide, ports: SealingPorts): Way {
  const { elicitation } = agent.clientCapabilities;
  if (!isJsonObject(elicitation) || !isJsonObject(elicitation.url)) return "words";
  if (agent.generation === "stateless") return MAY_ASK.has(method) && canSeal(ports) ? "question" : "words";
  return agent.protocolVersion === "2025-11-25" ? "error" : "words";
}

function canSeal(ports: SealingPorts): boolean {
  return stateSecretOf(ports) !== undefined;
}

/** Whoever repeats the request is the same, and asks for the same. */
function boundOf(method: string, params: JsonObject, { identity }: Pick<MethodContext, "identity">): string {
  const here = { app: { name: "", url: "" }, principal: principalOf(identity) };
  return boundTo({ method, params }, here);
}

/** @param question the name that it was asked by */
export function actionOf(agent: AgentSide, question: string): Repetition["action"] {
  const responses = agent.params().inputResponses;
  const response = isJsonObject(responses) ? responses[question] : undefined;
  const action = isJsonObject(response) ? response.action : undefined;
  return action === "accept" || action === "decline" || action === "cancel" ? action : undefined;
}

/** Models read results of calls and go by them; other requests have none that do. */
function inWords({ method }: RpcRequest, text: string): MethodAnswer {
  if (method !== "tools/call") throw new RpcError(REFUSED, text);
  return resultAnswer({ ...errorResult(text) });
}

/** For the model. */
function notMade({ want: { app }, connector, why, missing }: NotConnected): string {
  const begin = `The call was not made: the app "${app}" is called with the person's own account at "${connector}"`;
  switch (why) {
    case "none":
      return `${begin}, and none is connected.`;
    case "reconnect":
      return `${begin}, and the connection is not good any more.`;
    case "scopes":
      return `${begin}, and the connection lacks the scopes ${missing.join(" ")}.`;
  }
}

function openLink({ url }: ConnectLink): string {
  return `Ask the person to open this link in a browser, to connect the account there, and then make the call again: ${url}`;
}

const TOO_OFTEN = "The person was asked for it several times lately. Make the call again in an hour.";
const DECLINED = "The person did not want to connect it.";

/** For the person. */
function forPerson({ want: { app }, connector, why, missing }: NotConnected): string {
  if (why === "scopes") return `Let "${app}" do more with your account at "${connector}": ${missing.join(" ")}.`;
  const again = why === "reconnect" ? " again" : "";
  return `Connect your account at "${connector}"${again}, so that your agent can use "${app}".`;
}
