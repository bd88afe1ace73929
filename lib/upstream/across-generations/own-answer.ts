import type { JsonObject } from "../../kernel/json.ts";
import { INTERNAL_ERROR } from "../../protocol/mcp/json-rpc.ts";
import { errorResult } from "../../protocol/mcp/tool-result.ts";
import type { UpstreamAnswer } from "../answer.ts";
import { INPUT_REQUIRED } from "../request-state/held-answer.ts";
import type { UpstreamRequest } from "../spoken-upstream.ts";
import type { Upstream } from "../upstream.ts";

/** The answer where an upstream's question came to nothing: models read results, for other requests it is an error. */
export function failedAnswer(text: string, { method }: UpstreamRequest, { agent }: Upstream): UpstreamAnswer {
  const isCall = method === "tools/call";
  const resultType = agent.generation === "stateless" ? { resultType: "complete" } : {};
  const outcome = isCall
    ? { result: { ...resultType, ...errorResult(text) } }
    : { error: { code: INTERNAL_ERROR, message: text } };
  return {
    forwarded: message({ id: agent.id, ...outcome }),
    facts: {
      isAnswer: true,
      hasResult: isCall,
      hasError: !isCall,
      isError: isCall,
      ...(!isCall && { errorCode: INTERNAL_ERROR }),
    },
  };
}

/** The answer that asks the agent (MCP 2026-07-28, Multi Round-Trip Requests). */
export function askingAnswer(inputRequests: JsonObject, requestState: string, { agent }: Upstream): UpstreamAnswer {
  return {
    forwarded: message({ id: agent.id, result: { resultType: INPUT_REQUIRED, inputRequests, requestState } }),
    facts: { isAnswer: true, hasResult: true, hasError: false, isError: false, resultType: INPUT_REQUIRED },
  };
}

function message(body: JsonObject): UpstreamAnswer["forwarded"] {
  return { kind: "message", text: JSON.stringify({ jsonrpc: "2.0", ...body }) };
}
