import type { Gateway } from "../../gateway/gateway.ts";
import { listTools } from "../../gateway/list-tools.ts";
import type { MethodContext } from "../caller.ts";
import { INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import { listingCaller } from "../listing-caller.ts";
import type { RpcRequest } from "../message.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";

/** `tools/list`: every tool that the caller may see, or those to search them with, on one page. */
export async function toolsList(message: RpcRequest, caller: MethodContext, gateway: Gateway): Promise<MethodAnswer> {
  if (message.params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
  return resultAnswer({ tools: await listTools(listingCaller(message, caller, gateway), gateway) });
}
