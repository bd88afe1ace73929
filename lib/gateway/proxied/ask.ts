import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { uuid } from "../../kernel/ids.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { Random } from "../../kernel/random.ts";
import type { InstancePins } from "../../pins/instance-pins.ts";
import { INTERNAL_ERROR, RpcError } from "../../protocol/mcp/json-rpc.ts";
import type { AgentSide } from "../../upstream/agent-side.ts";
import type { UpstreamAnswer } from "../../upstream/answer.ts";
import type { Ask } from "../../upstream/catalog/read-list.ts";
import { UpstreamRefusal } from "../../upstream/refusal.ts";
import { withEnvelope } from "../../upstream/stateless-request.ts";
import { tooLarge } from "../../upstream/wire/upstream-failure.ts";
import type { VisibilityPorts } from "../decision/locate.ts";
import type { Proxies } from "./proxies.ts";
import type { UpstreamCaller } from "./reach-upstream.ts";
import { appCredential, appDestination, type ForwardingPorts, forwardRequest } from "./reach-upstream.ts";

/** What it takes to ask the upstream MCP servers that an agent may see. */
export type ProxyPorts = ForwardingPorts &
  VisibilityPorts & {
    readonly proxies: Proxies;
    readonly random: Random;
    readonly pins: Pick<InstancePins, "listed">;
  };

/**
 * Asks an upstream on behalf of an agent for what the gateway itself needs to know, and reads the answer as a whole. Rejects
 * with `RpcError` where the upstream answers with an error.
 */
export function createAsk(
  app: McpProxyAppConfiguration,
  caller: UpstreamCaller,
  ports: ForwardingPorts & { readonly random: Random },
): Ask {
  return async (method, params) => {
    const id = uuid(ports.random);
    const collected = collecting();
    const agent: AgentSide = { ...caller.agent, id, hearsRequests: false, ...collected };
    const request = {
      id,
      method,
      params: agent.generation === "stateless" ? withEnvelope(params, agent) : params,
      rules: {},
    };
    const credential = await appCredential(app, caller, ports);
    const answer = await refusalAsAnswer(
      forwardRequest(request, appDestination(app), credential, { ...caller, agent }, ports),
    );
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
