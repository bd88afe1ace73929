import type { McpProxyAppConfiguration } from "../../config/app-configuration.ts";
import { uuid } from "../../ids.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { INTERNAL_ERROR, RpcError } from "../../mcp/json-rpc.ts";
import type { AgentSide } from "../../proxy/agent-side.ts";
import type { UpstreamAnswer } from "../../proxy/answer.ts";
import type { Ask } from "../../proxy/catalog/read-pages.ts";
import { UpstreamRefusal } from "../../proxy/refusal.ts";
import { withEnvelope } from "../../proxy/stateless/envelope.ts";
import type { Gateway } from "../gateway.ts";
import { appCredential, appDestination } from "./app-credential.ts";
import { collecting } from "./collecting.ts";
import { forwardRequest } from "./forward-request.ts";
import type { UpstreamCaller } from "./upstream-of.ts";

/**
 * Asks an upstream on behalf of an agent for what the gateway itself needs to know, and reads the answer as a whole. Rejects
 * with `RpcError` where the upstream answers with an error.
 */
export function createAsk(app: McpProxyAppConfiguration, caller: UpstreamCaller, gateway: Gateway): Ask {
  return async (method, params) => {
    const id = uuid(gateway.dependencies.random);
    const collected = collecting();
    const agent: AgentSide = { ...caller.agent, id, hearsRequests: false, ...collected };
    const request = {
      id,
      method,
      params: agent.generation === "stateless" ? withEnvelope(params, agent) : params,
      rules: {},
    };
    const credential = await appCredential(app, caller, gateway);
    const answer = await refusalAsAnswer(
      forwardRequest(request, appDestination(app), credential, { ...caller, agent }, gateway),
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
