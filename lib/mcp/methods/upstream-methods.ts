import type { NotConnected } from "../../gateway/credentials/person-token.ts";
import { GatewayError } from "../../gateway/gateway-error.ts";
import type { ListingCaller } from "../../gateway/list-tools.ts";
import type { ProxyPorts } from "../../gateway/proxied/ask.ts";
import { visibleProxies } from "../../gateway/proxied/proxies.ts";
import { forwardUse, type UsePorts } from "../../gateway/proxied/use/forward-use.ts";
import { listTasks, listUses } from "../../gateway/proxied/use/list-uses.ts";
import { locateUse } from "../../gateway/proxied/use/locate.ts";
import type { UpstreamUse } from "../../gateway/proxied/use/use.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RESOURCE_NOT_FOUND,
  RpcError,
} from "../../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import { KINDS, type ListKind } from "../../upstream/catalog/kinds.ts";
import { type Addressed, addressedBy } from "../../upstream/names/addressed.ts";
import type { AgentPorts } from "../agent-side.ts";
import { listingCaller } from "../agent-side.ts";
import { type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import {
  type ConnectPorts,
  hasConnected,
  invalidRequestState,
  isDeclined,
  readRepetition,
  tellDeclined,
  tellNotConnected,
  withoutRepetition,
} from "./not-connected.ts";

export type UsingPorts = ProxyPorts & UsePorts & AgentPorts & ConnectPorts;

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

const DOTS = "The URI has the segments . or .., perhaps encoded: name the resource by the URI that it leads to.";

/** A request for the upstream MCP server that it names. One of a method that is not MCP's is for the only one whose configuration has it. */
export async function upstreamUse(
  message: RpcRequest,
  context: MethodContext,
  ports: UsingPorts,
): Promise<MethodAnswer> {
  if (ports.proxies.apps.length === 0) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
  const from = listingCaller(message, context, ports);
  const repetition = await readRepetition(message, from.agent, context, ports);
  const caller = repetition === undefined ? from : { ...from, agent: withoutRepetition(from.agent) };
  const ask = async () => forwardedUse(await addressedUse(message, caller, context, ports), caller, ports);
  const first = await ask();
  if (!("needs" in first)) return first;
  if (repetition === undefined) {
    const { generation, params } = from.agent;
    if (generation === "stateless" && params().requestState !== undefined) throw invalidRequestState();
  } else if (await hasConnected(first.needs.want, repetition, context, ports)) {
    // What it names may be found only now.
    const last = await ask();
    return "needs" in last ? tellNotConnected(last.needs, message, caller.agent, context, ports) : last;
  }
  return isDeclined(repetition)
    ? tellDeclined(first.needs, message)
    : tellNotConnected(first.needs, message, caller.agent, context, ports);
}

/** @throws RpcError where it names nothing that there is */
async function addressedUse(
  { method }: RpcRequest,
  caller: ListingCaller,
  context: MethodContext,
  ports: UsingPorts,
): Promise<UpstreamUse> {
  const located = await locateUse(method, caller.agent.params(), caller, ports);
  const needed = Object.hasOwn(NEEDED, method) ? NEEDED[method] : undefined;
  if (located.kind === "dots") throw new RpcError(INVALID_PARAMS, DOTS);
  if (located.kind === "unknown") throw unknown(located.addressed, context);
  const isAddressed = addressedBy(method, caller.agent.params()) !== undefined;
  if (needed !== undefined && !isAddressed) throw new RpcError(INVALID_PARAMS, `${needed}.`);
  if (located.kind === "unaddressed") throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
  return located.use;
}

/** @throws RpcError where it is not forwarded for another reason than that the person has to connect */
async function forwardedUse(
  use: UpstreamUse,
  caller: ListingCaller,
  ports: UsingPorts,
): Promise<MethodAnswer | { readonly needs: NotConnected }> {
  try {
    const { needs, ...forwarded } = await forwardUse(use, caller, ports);
    return needs === undefined ? forwarded : { needs };
  } catch (cause) {
    if (!(cause instanceof GatewayError)) throw cause;
    if (cause.needs !== undefined) return { needs: cause.needs };
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

/** `resources/list`, `resources/templates/list`, `prompts/list`: what all upstream MCP servers have, on one page. */
export function listMethod(kind: Exclude<ListKind, "tools">) {
  return async (message: RpcRequest, context: MethodContext, ports: UsingPorts): Promise<MethodAnswer> => {
    if (ports.proxies.apps.length === 0) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
    refuseCursor(message);
    const entries = await listUses(kind, listingCaller(message, context, ports), ports);
    return resultAnswer({ [KINDS[kind].member]: entries });
  };
}

/** `tasks/list`: of one upstream MCP server its own, page by page; of several what all of them have, on one page. */
export async function tasksList(message: RpcRequest, context: MethodContext, ports: UsingPorts): Promise<MethodAnswer> {
  const caller = listingCaller(message, context, ports);
  const visible = await visibleProxies(caller.identity, ports);
  if (visible.length < 2) return upstreamUse(message, context, ports);
  refuseCursor(message);
  return resultAnswer({ tasks: await listTasks(visible, caller, ports) });
}

function refuseCursor({ params }: RpcRequest): void {
  if (params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
}
