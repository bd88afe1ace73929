import { uuid } from "../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { Random } from "../kernel/random.ts";
import { INTERNAL_ERROR, RpcError } from "../protocol/mcp/json-rpc.ts";
import type { AgentSide } from "./agent-side.ts";
import type { UpstreamAnswer } from "./answer.ts";
import type { Ask } from "./catalog/read-list.ts";
import { UpstreamRefusal } from "./refusal.ts";
import type { UpstreamRequest } from "./spoken-upstream.ts";
import { withEnvelope } from "./stateless-request.ts";
import { tooLarge } from "./wire/upstream-failure.ts";

/**
 * Asks an upstream on behalf of an agent for what is needed here, and reads the answer as a whole. Rejects with `RpcError` where the
 * upstream answers with an error.
 *
 * @param send sends the request of that agent, which hears nothing but its answer
 */
export function createAskAs(
  from: Omit<AgentSide, "id" | "hearsRequests" | "relay" | "openAnswer">,
  random: Random,
  send: (request: UpstreamRequest, agent: AgentSide) => Promise<UpstreamAnswer>,
): Ask {
  return async (method, params) => {
    const id = uuid(random);
    const collected = collecting();
    const agent: AgentSide = { ...from, id, hearsRequests: false, ...collected };
    const request = {
      id,
      method,
      params: agent.generation === "stateless" ? withEnvelope(params, agent) : params,
      rules: {},
    };
    const answer = await refusalAsAnswer(send(request, agent));
    const message: unknown = JSON.parse(answer.forwarded.kind === "message" ? answer.forwarded.text : collected.text());
    return resultOf(message);
  };
}

function resultOf(message: unknown): JsonObject {
  const { result, error } = isJsonObject(message) ? message : {};
  if (isJsonObject(result)) return result;
  const { code, message: text } = isJsonObject(error) ? error : {};
  throw new RpcError(typeof code === "number" ? code : INTERNAL_ERROR, typeof text === "string" ? text : "");
}

/** An error that came with an HTTP status is an error all the same. */
async function refusalAsAnswer(work: Promise<UpstreamAnswer>): Promise<UpstreamAnswer> {
  try {
    return await work;
  } catch (cause) {
    if (cause instanceof UpstreamRefusal && cause.error !== undefined)
      throw new RpcError(cause.error.code, cause.error.message);
    throw cause;
  }
}

/** Bytes: the longest list that is kept. */
const LIMIT = 32 * 1024 * 1024;

/** The outlets of a request whose answer is read and goes nowhere. */
function collecting(): Pick<AgentSide, "relay" | "openAnswer"> & { readonly text: () => string } {
  const decoder = new TextDecoder();
  let text = "";
  return {
    relay: ignore,
    openAnswer: () => ({
      write: async (chunk) => {
        text += decoder.decode(chunk, { stream: true });
        if (text.length > LIMIT) throw tooLarge("An answer", LIMIT);
      },
      commit: ignore,
      withdraw: ignore,
    }),
    text: () => text + decoder.decode(),
  };
}

function ignore(): void {
  // Nobody hears of it.
}
