import type { ToolResult } from "../bridge/tool-result.ts";
import { beginAudit, completeAudit } from "./audit-call.ts";
import { authorizeTool } from "./authorize-tool.ts";
import { evaluatePolicies } from "./evaluate-policies.ts";
import type { Gateway, ToolCall } from "./gateway.ts";
import { invoke } from "./invoke.ts";
import { locateTool } from "./locate-tool.ts";
import { obtainCredential } from "./obtain-credential.ts";

/** The life of a call. Throws a `GatewayError` when the call is not made; what the upstream does wrong is a result. */
export async function callTool(call: ToolCall, gateway: Gateway): Promise<ToolResult> {
  const located = await locateTool(call, gateway);
  await authorizeTool(located, call, gateway);
  await evaluatePolicies(located, call, gateway);
  const credential = obtainCredential(located);
  const record = await beginAudit(located, call, gateway);
  const { result } = await completeAudit(record, call, gateway, () => invoke(located, credential, call, gateway));
  return result;
}
