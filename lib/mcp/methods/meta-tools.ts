import { errorResult, type ToolResult } from "../../bridge/tool-result.ts";
import type { Admission } from "../../gateway/admit-calls.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import { calledTool } from "../../gateway/search/called-tool.ts";
import { nearestNames, nearText, unknownToolText } from "../../gateway/search/nearest-names.ts";
import { runMetaTool } from "../../gateway/search/run-meta-tool.ts";
import { searchedBy } from "../../gateway/search/searched.ts";
import type { MethodContext } from "../caller.ts";
import { INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import { listingCaller } from "../listing-caller.ts";
import type { RpcRequest } from "../message.ts";

/**
 * What `search_tools` and `describe_tools` answer, and `call_tool` where it names no tool that there is; undefined where a call
 * of an app was decided on. Throws an `RpcError` for a call of no tool, with names near to it (D102).
 */
export async function metaToolResult(
  message: RpcRequest,
  admission: Admission | undefined,
  context: MethodContext,
  gateway: Gateway,
): Promise<ToolResult | undefined> {
  const { search } = gateway;
  const called = calledTool(message.params, gateway);
  if (called.kind === "meta" && search !== undefined) {
    const asking = listingCaller(message, context, gateway);
    return runMetaTool(called.name, called.arguments, asking, { ...gateway, search });
  }
  if (called.kind !== "app") throw new RpcError(INVALID_PARAMS, "params.name must be the name of a tool.");
  const isUnknown = admission instanceof GatewayError && admission.code === "unknown_tool";
  if (!isUnknown || search === undefined) return undefined;
  const asking = listingCaller(message, context, gateway);
  const searched = await searchedBy(asking, gateway);
  const near = await nearestNames([called.name], searched, asking, { ...gateway, search });
  const nearest = near.get(called.name);
  if (called.isWrapped) return errorResult(unknownToolText(called.name, nearest));
  throw new RpcError(INVALID_PARAMS, `${admission.message}${nearText(nearest)}`);
}
