import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { UpstreamAnswer } from "../answer.ts";
import type { Deadline } from "../deadline.ts";
import type { Listener } from "../deliver.ts";
import { mayRefuseGeneration, UpstreamRefusal } from "../refusal.ts";
import { INPUT_REQUIRED, withWholeInput } from "../request-state/held-answer.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import { requestStateless, withEnvelope } from "../stateless-request.ts";
import type { Upstream } from "../upstream.ts";
import { parseExact } from "../wire/exact-json.ts";
import { askAgent } from "./ask-agent.ts";
import { type InputRequest, MAY_ASK, readInputRequest, withoutQuestions } from "./input-requests.ts";
import { failedAnswer } from "./own-answer.ts";

/** How often an upstream may ask during one request. */
const ROUNDS = 16;

/**
 * A request of an agent with a session at an upstream without: the envelope says what the handshake said. What the upstream asks
 * becomes requests to the agent, and their answers go with the request's repetition.
 *
 * @throws UpstreamRefusal; UpstreamFailure
 */
export async function requestWithEnvelope(
  request: UpstreamRequest,
  upstream: Upstream,
  listener: Listener,
  deadline: Deadline,
): Promise<UpstreamAnswer> {
  const agent = asDeclared(request, upstream);
  let answered: JsonObject = {};
  let reached = upstream;
  for (let round = 0; round <= ROUNDS; round++) {
    const answer = await goOn(answered, round);
    if (answer === undefined) return failedAnswer(GONE, request, upstream);
    const asked = readAsked(answer);
    if (asked === undefined) return answer;
    const requests = asked.inputRequests.map(
      ([key, value]) => [key, readInputRequest(value, agent.clientCapabilities)] as const,
    );
    if (!areAll(requests)) return failedAnswer(NOT_DECLARED, request, upstream);
    if (requests.length === 0 && asked.requestState === undefined)
      return failedAnswer(NOTHING_ASKED, request, upstream);
    const answers = requests.length === 0 ? undefined : await askAgent(requests, upstream, deadline);
    if (answers?.kind === "failed") return failedAnswer(answers.text, request, upstream);
    answered = {
      ...(answers !== undefined && { inputResponses: answers.responses }),
      ...(asked.requestState !== undefined && { requestState: asked.requestState }),
    };
  }
  return failedAnswer(`The MCP server asked more than ${ROUNDS} times and gave no answer.`, request, upstream);

  /** Undefined where the upstream asked, and does not know of it any more: the request is not begun anew. */
  async function goOn(more: JsonObject, round: number): Promise<UpstreamAnswer | undefined> {
    try {
      return await send(more, round);
    } catch (cause) {
      if (round === 0 || !(cause instanceof UpstreamRefusal)) throw cause;
      if (mayRefuseGeneration(cause, "stateless")) return undefined;
      // A person takes longer than many credentials are good for.
      const renewed = cause.status === 401 ? await reached.renewed?.() : undefined;
      if (renewed === undefined) throw cause;
      reached = renewed;
      return send(more, round);
    }
  }

  function send(more: JsonObject, round: number): Promise<UpstreamAnswer> {
    // A repetition is a request of its own.
    const id = round === 0 ? request.id : `${request.id}~${round}`;
    const params = withEnvelope({ ...withoutRounds(request.params), ...more }, agent);
    return withWholeInput(reached, (holding) =>
      requestStateless({ ...request, id, params }, holding, listener, deadline),
    );
  }
}

const GONE = "The MCP server asked for input, and did not take the answer.";
const NOT_DECLARED = "The MCP server asked for what this client does not do, or for what MCP does not have.";
const NOTHING_ASKED = "The MCP server asked for input without saying which.";

/** An agent that cannot be asked during this request declares nothing that it could be asked for. */
function asDeclared({ method }: UpstreamRequest, { agent }: Upstream): Upstream["agent"] {
  // Tasks are an extension in this generation, and work in another way.
  const { tasks: _, ...clientCapabilities } = agent.clientCapabilities;
  const canAnswer = agent.hearsRequests && MAY_ASK.has(method);
  return { ...agent, clientCapabilities: canAnswer ? clientCapabilities : withoutQuestions(clientCapabilities) };
}

interface Asked {
  readonly inputRequests: readonly (readonly [key: string, value: unknown])[];
  readonly requestState: unknown;
}

/** Undefined for an answer that asks nothing. */
function readAsked({ forwarded, facts }: UpstreamAnswer): Asked | undefined {
  if (facts.resultType !== INPUT_REQUIRED || forwarded.kind !== "message") return undefined;
  const message = parseExact(forwarded.text);
  const result = isJsonObject(message) && isJsonObject(message.result) ? message.result : {};
  const { inputRequests, requestState } = result;
  return { inputRequests: isJsonObject(inputRequests) ? Object.entries(inputRequests) : [], requestState };
}

function areAll(
  requests: readonly (readonly [string, InputRequest | undefined])[],
): requests is readonly (readonly [string, InputRequest])[] {
  return requests.every(([, asked]) => asked !== undefined);
}

/** What agents of this generation do not have, and an upstream would take for an answer. */
function withoutRounds(params: JsonObject): JsonObject {
  const { inputResponses: _, requestState: __, ...others } = params;
  return others;
}
