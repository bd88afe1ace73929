import { listTasks } from "../../../gateway/proxied/use/list-tasks.ts";
import { listUses } from "../../../gateway/proxied/use/list-uses.ts";
import { visibleProxies } from "../../../gateway/proxied/visible-proxies.ts";
import { KINDS, type ListKind } from "../../../proxy/catalog/kinds.ts";
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../../json-rpc.ts";
import { listingCaller } from "../../listing-caller.ts";
import type { RpcRequest } from "../../message.ts";
import { resultAnswer } from "../method-answer.ts";
import type { Method } from "../methods.ts";
import { upstreamUse } from "./use.ts";

/** `resources/list`, `resources/templates/list`, `prompts/list`: what all upstream MCP servers have, on one page. */
export function listMethod(kind: Exclude<ListKind, "tools">): Method {
  return async (message, context, gateway) => {
    if (gateway.proxies.apps.length === 0) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
    refuseCursor(message);
    const entries = await listUses(kind, listingCaller(message, context, gateway), gateway);
    return resultAnswer({ [KINDS[kind].member]: entries });
  };
}

/** `tasks/list`: of one upstream MCP server its own, page by page; of several what all of them have, on one page. */
export const tasksList: Method = async (message, context, gateway) => {
  const caller = listingCaller(message, context, gateway);
  const visible = await visibleProxies(caller.identity, gateway);
  if (visible.length < 2) return upstreamUse(message, context, gateway);
  refuseCursor(message);
  return resultAnswer({ tasks: await listTasks(visible, caller, gateway) });
};

function refuseCursor({ params }: RpcRequest): void {
  if (params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
}
