import type { Gateway } from "../../gateway/gateway.ts";
import { stackOf } from "../../logging/cause.ts";
import type { MethodContext } from "../caller.ts";
import { INTERNAL_ERROR, METHOD_NOT_FOUND, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { discover } from "./discover.ts";
import { type MethodAnswer, resultAnswer } from "./method-answer.ts";
import { setLevel } from "./set-level.ts";
import { toolsCall } from "./tools-call.ts";
import { toolsList } from "./tools-list.ts";
import { listMethod, tasksList } from "./upstream/lists.ts";
import { upstreamUse } from "./upstream/use.ts";

/** Carries out one request; rejects with `RpcError`. */
export type Method = (request: RpcRequest, context: MethodContext, gateway: Gateway) => Promise<MethodAnswer>;

/** Methods by name; `initialize` and `subscriptions/listen` have answers of their own kind. */
export type Methods = ReadonlyMap<string, Method>;

/** What upstream MCP servers have besides tools. Of each method about tasks there is a revision that has it. */
const OF_UPSTREAMS: readonly (readonly [string, Method])[] = [
  ["completion/complete", upstreamUse],
  ["prompts/get", upstreamUse],
  ["prompts/list", listMethod("prompts")],
  ["resources/list", listMethod("resources")],
  ["resources/read", upstreamUse],
  ["resources/templates/list", listMethod("resourceTemplates")],
  ["tasks/cancel", upstreamUse],
  ["tasks/get", upstreamUse],
  ["tasks/list", tasksList],
  ["tasks/result", upstreamUse],
  ["tasks/update", upstreamUse],
];

/** Of the revisions with a handshake. */
export const SESSION_METHODS: Methods = new Map<string, Method>([
  ...OF_UPSTREAMS,
  ["logging/setLevel", setLevel],
  ["ping", async () => resultAnswer({})],
  // Of the other generation: its resources would be decided on by nobody.
  ["subscriptions/listen", notServed],
  ["resources/subscribe", upstreamUse],
  ["resources/unsubscribe", upstreamUse],
  ["tools/call", toolsCall],
  ["tools/list", toolsList],
]);

async function notServed(): Promise<never> {
  throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
}

/** Of the revisions without one. */
export const STATELESS_METHODS: Methods = new Map<string, Method>([
  ...OF_UPSTREAMS,
  ["server/discover", discover],
  ["tools/call", toolsCall],
  ["tools/list", toolsList],
]);

const KNOWN: ReadonlySet<string> = new Set(
  [...SESSION_METHODS.keys(), ...STATELESS_METHODS.keys()].map((method) => method.toLowerCase()),
);

/** A method of ours but for its case, or for what nobody sees: a server that takes it for that would do what nobody decided on. */
function isLookalike(method: string): boolean {
  return KNOWN.has(method.toLowerCase()) || !/^[\x21-\x7e]+$/.test(method);
}

/** The answer to a request; rejects with `RpcError` alone, and tells telemetry and log of it. */
export async function carryOut(
  methods: Methods,
  request: RpcRequest,
  context: MethodContext,
  gateway: Gateway,
): Promise<MethodAnswer> {
  try {
    const isForwarded = gateway.proxies.apps.length > 0 && !isLookalike(request.method);
    const method = methods.get(request.method) ?? (isForwarded ? upstreamUse : undefined);
    if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
    return await method(request, context, gateway);
  } catch (cause) {
    const error = cause instanceof RpcError ? cause : unforeseen(cause, context);
    context.operations.fail(request.id, String(error.code));
    throw error;
  }
}

function unforeseen(cause: unknown, { request }: MethodContext): RpcError {
  request.logger.error("mcp request failed", { cause: stackOf(cause) });
  return new RpcError(INTERNAL_ERROR, "The request could not be completed.");
}
