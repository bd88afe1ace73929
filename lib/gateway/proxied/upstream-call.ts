import { isJsonObject } from "../../json.ts";
import type { AgentSide } from "../../proxy/agent-side.ts";
import { rulesOf } from "../../proxy/names/rules-of.ts";
import { withOwnTasks } from "../../proxy/names/task-id.ts";
import type { UpstreamRequest } from "../../proxy/upstream.ts";
import { isExactNumber } from "../../proxy/wire/exact-json.ts";
import type { ToolCall } from "../gateway.ts";
import type { ProxiedTool, ToolFacts } from "../tool-index.ts";

/**
 * The call as the upstream gets it: everything that the agent wrote, with the upstream's own name of the tool.
 */
export function upstreamCall({ tool, app }: ProxiedTool, call: ToolCall, agent: AgentSide): UpstreamRequest {
  const { params } = agent;
  const given = givenArguments(call, agent);
  const { arguments: _, ...others } = withOwnTasks(params, app);
  return {
    id: agent.id,
    method: "tools/call",
    params: { ...others, name: tool.localName, ...(given !== undefined && { arguments: given }) },
    rules: rulesOf(app, "tools/call"),
    ...paramHeadersOf(tool, given),
  };
}

/** The arguments of a call as they were written; of a tool that is called by way of `call_tool` they stand one level below. */
export function givenArguments({ isWrapped, agent: caller }: ToolCall, { params }: AgentSide = caller): unknown {
  return isWrapped && isJsonObject(params.arguments) ? params.arguments.arguments : params.arguments;
}

/** Arguments that the headers repeat (MCP 2026-07-28, Custom Headers from Tool Parameters), made of the body that goes out. */
function paramHeadersOf({ paramHeaders = [] }: ToolFacts, given: unknown): Pick<UpstreamRequest, "paramHeaders"> {
  const repeated = paramHeaders.flatMap(({ name, path }) => {
    const value = path.reduce<unknown>((inner, key) => (isJsonObject(inner) ? inner[key] : undefined), given);
    const text = isExactNumber(value) ? JSON.stringify(value) : String(value);
    return isScalar(value) ? [[name, text] as const] : [];
  });
  return repeated.length === 0 ? {} : { paramHeaders: Object.fromEntries(repeated) };
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value) || isExactNumber(value);
}
