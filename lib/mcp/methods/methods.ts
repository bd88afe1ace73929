import { type ListingPorts, listTools } from "../../gateway/list-tools.ts";
import type { ProxyPorts } from "../../gateway/proxied/ask.ts";
import type { UnlistedApp } from "../../gateway/proxied/lists.ts";
import { setUpstreamLevels } from "../../gateway/proxied/session-upstreams.ts";
import { unlistedNotes } from "../../gateway/search/unlisted-notes.ts";
import type { Clock } from "../../kernel/clock.ts";
import { stackOf } from "../../logging/cause.ts";
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  METHOD_NOT_FOUND,
  RpcError,
  SESSION_NOT_FOUND,
} from "../../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import { STATELESS_REVISIONS } from "../../protocol/mcp/revisions.ts";
import { isLogLevel, MCP_LOG_LEVELS, type McpSessions } from "../../stores/mcp-sessions.ts";
import { type AgentPorts, agentCaller, listingCaller } from "../agent-side.ts";
import { type MethodAnswer, type MethodContext, resultAnswer } from "../caller.ts";
import { offersTasks, taskCancel, taskGet, taskUpdate } from "./approval-tasks.ts";
import { type DescribingPorts, selfDescription } from "./handshake.ts";
import { type CallingPorts, toolsCall } from "./tools-call.ts";
import { listMethod, tasksList, type UsingPorts, upstreamUse } from "./upstream-methods.ts";

/** What all methods take together. */
export type MethodPorts = DescribingPorts & LevelPorts & CallingPorts & ListingPorts & UsingPorts;

/** Carries out one request; rejects with `RpcError`. */
export type Method = (request: RpcRequest, context: MethodContext, ports: MethodPorts) => Promise<MethodAnswer>;

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
  // Calls that wait for an approval are tasks of the gateway's own.
  ["tasks/cancel", taskCancel],
  ["tasks/get", taskGet],
  ["tasks/update", taskUpdate],
  ["tools/call", toolsCall],
  ["tools/list", toolsList],
]);

/** The answer to a request; rejects with `RpcError` alone, and tells telemetry and log of it. */
export async function carryOut(
  methods: Methods,
  request: RpcRequest,
  context: MethodContext,
  ports: MethodPorts,
): Promise<MethodAnswer> {
  try {
    const isNamed = ports.proxies.apps.some((app) => app.methods?.includes(request.method));
    const method = methods.get(request.method) ?? (isNamed ? upstreamUse : undefined);
    if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, "This method is not served.");
    return await method(request, context, ports);
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

/** `server/discover` (MCP 2026-07-28): revisions with a handshake are agreed on by that alone, so they are not listed. */
async function discover(_: RpcRequest, caller: MethodContext, ports: MethodPorts): Promise<MethodAnswer> {
  const hears = ports.sessionChannel !== undefined;
  const described = await selfDescription({ hears, chooses: true, tasks: offersTasks(ports) }, caller, ports);
  return resultAnswer({ supportedVersions: STATELESS_REVISIONS, ...described });
}

/** `tools/list`: every tool that the caller may see, or those to search them with, on one page. */
async function toolsList(
  message: RpcRequest,
  caller: MethodContext,
  ports: ListingPorts & AgentPorts,
): Promise<MethodAnswer> {
  if (message.params.cursor !== undefined) throw new RpcError(INVALID_PARAMS, "The cursor is not one of this list.");
  const listing = listingCaller(message, caller, ports);
  const unlisted: UnlistedApp[] = [];
  const tools = await listTools(listing, ports, (apps) => unlisted.push(...apps));
  if (caller.identity?.trialBy === undefined) return resultAnswer({ tools });
  return resultAnswer({ _meta: { [UNLISTED]: await unlistedNotes(unlisted, listing, ports) }, tools });
}

/** People who try tools are told why some are not there; agents would be none the wiser. */
const UNLISTED = "countersign/unlisted";

type LevelPorts = ProxyPorts &
  AgentPorts & {
    readonly stores: { readonly mcpSessions: Pick<McpSessions, "get" | "setLogLevel" | "introduce"> };
    readonly clock: Clock;
  };

/** `logging/setLevel`: from now on the session's calls tell of this level and above (MCP 2025-11-25, Logging). */
async function setLevel({ params }: RpcRequest, caller: MethodContext, ports: LevelPorts): Promise<MethodAnswer> {
  const { session } = caller;
  if (!isLogLevel(params.level)) {
    throw new RpcError(INVALID_PARAMS, `params.level must be one of ${MCP_LOG_LEVELS.join(", ")}.`);
  }
  // Without a session there is nothing to keep it in; the capability is not declared then, and nothing is logged.
  if (session === undefined) return resultAnswer({});
  const { stores, clock } = ports;
  const isSet = await stores.mcpSessions.setLogLevel(session.reference, params.level, clock.now());
  if (!isSet) throw new RpcError(SESSION_NOT_FOUND, "The session is over.");
  await setUpstreamLevels(params.level, { ...agentCaller(caller, ports), session }, ports);
  return resultAnswer({});
}
