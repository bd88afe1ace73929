import { listUses } from "../../../gateway/proxied/use/list-uses.ts";
import { KINDS, type ListKind } from "../../../proxy/catalog/kinds.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../../json-rpc.ts";
import { listingCaller } from "../../listing-caller.ts";
import { resultAnswer } from "../method-answer.ts";
import type { Method } from "../methods.ts";

/** `resources/list`, `resources/templates/list`, `prompts/list`: what all upstream MCP servers have, on one page. */
export function listMethod(kind: Exclude<ListKind, "tools">): Method {
  return async (message, context, gateway) => {
    if (gateway.proxies.apps.length === 0) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
    if (message.params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
    const entries = await listUses(kind, listingCaller(message, context, gateway), gateway);
    return resultAnswer({ [KINDS[kind].member]: entries });
  };
}
