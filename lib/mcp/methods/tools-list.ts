import type { Gateway } from "../../gateway/gateway.ts";
import { listTools } from "../../gateway/list-tools.ts";
import type { JsonObject } from "../../json.ts";
import { type MethodContext, policyCaller } from "../caller.ts";
import { INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";

/** `tools/list`: every tool that the caller may see, or those to search them with, on one page. */
export async function toolsList(message: RpcRequest, caller: MethodContext, gateway: Gateway): Promise<JsonObject> {
  if (message.params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
  return { tools: await listTools(policyCaller(message, caller), gateway) };
}
