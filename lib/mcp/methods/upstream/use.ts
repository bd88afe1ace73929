import type { Gateway } from "../../../gateway/gateway.ts";
import { GatewayError } from "../../../gateway/gateway-error.ts";
import { forwardUse } from "../../../gateway/proxied/use/forward-use.ts";
import { locateUse } from "../../../gateway/proxied/use/locate.ts";
import { type Addressed, addressedBy } from "../../../proxy/names/addressed.ts";
import type { MethodContext } from "../../caller.ts";
import { INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, RESOURCE_NOT_FOUND, RpcError } from "../../json-rpc.ts";
import { listingCaller } from "../../listing-caller.ts";
import type { RpcRequest } from "../../message.ts";
import type { MethodAnswer } from "../method-answer.ts";

/** What requests of these methods name, for whoever left it out. */
const NEEDED: Readonly<Record<string, string>> = {
  "completion/complete": "params.ref must be a ref/prompt with a name or a ref/resource with a uri",
  "prompts/get": "params.name must be the name of a prompt",
  "resources/read": "params.uri must be the URI of a resource",
  "resources/subscribe": "params.uri must be the URI of a resource",
  "resources/unsubscribe": "params.uri must be the URI of a resource",
  "tasks/cancel": "params.taskId must be the id of a task",
  "tasks/get": "params.taskId must be the id of a task",
  "tasks/result": "params.taskId must be the id of a task",
  "tasks/update": "params.taskId must be the id of a task",
};

/** A request for the upstream MCP server that it names. One of a method that we do not know is for the only one there is. */
export async function upstreamUse(
  message: RpcRequest,
  context: MethodContext,
  gateway: Gateway,
): Promise<MethodAnswer> {
  const { method } = message;
  if (gateway.proxies.apps.length === 0) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
  const caller = listingCaller(message, context, gateway);
  const located = await locateUse(method, caller.agent.params, caller, gateway);
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  if (located.kind === "unknown") throw unknown(located.addressed, context);
  const isAddressed = addressedBy(method, caller.agent.params) !== undefined;
  if (needed !== undefined && !isAddressed) throw new RpcError(INVALID_PARAMS, `${needed}.`);
  if (located.kind === "unaddressed") throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
  try {
    return await forwardUse(located.use, caller, gateway);
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    const isRefused = cause.code === "denied_by_policy";
    throw new RpcError(isRefused ? INVALID_PARAMS : INTERNAL_ERROR, cause.message);
  }
}

/** The stateless generation has no code of its own for it any more (MCP 2026-07-28, Resources, Error Handling). */
function unknown({ kind, text }: Addressed, { envelope }: MethodContext): RpcError {
  if (kind === "task") return new RpcError(INVALID_PARAMS, "There is no task of this id.");
  if (kind !== "resource") return new RpcError(INVALID_PARAMS, "There is no prompt of this name.");
  const code = envelope === undefined ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return new RpcError(code, "There is no resource of this URI.", { uri: text });
}
