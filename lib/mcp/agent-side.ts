import type { ListingCaller } from "../gateway/list-tools.ts";
import type { AgentCaller } from "../gateway/proxied/session-upstreams.ts";
import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import type { RpcRequest } from "../protocol/mcp/message.ts";
import { UNNAMED_REVISION } from "../protocol/mcp/revisions.ts";
import type { SessionChannel } from "../stores/session-channel.ts";
import type { AgentSide } from "../upstream/agent-side.ts";
import { mayChange, parseExact } from "../upstream/wire/exact-json.ts";
import { type Caller, type MethodContext, policyCaller } from "./caller.ts";
import { type ServerInfoPorts, serverInfo } from "./capabilities.ts";

/** What decides on how upstreams get to know an agent. */
export interface AgentPorts extends ServerInfoPorts {
  readonly sessionChannel?: SessionChannel | undefined;
}

/** The agent of a request, as the upstream that the request is forwarded to gets to know it. */
export function agentSideOf(request: RpcRequest, context: MethodContext, ports: AgentPorts): AgentSide {
  const { session, logLevel, relay, openAnswer } = context;
  let exact: JsonObject | undefined;
  const params = (): JsonObject => {
    exact ??= exactParams(request, context);
    return exact;
  };
  return {
    ...senderOf(context, ports),
    id: request.id,
    logLevel,
    session,
    params,
    hearsRequests: hearsRequests(context, ports),
    relay,
    openAnswer,
  };
}

/** The agent while it is decided on its request: it hears nothing of what upstreams are asked for that. */
export function unheardAgent(request: RpcRequest, caller: Caller, ports: AgentPorts): AgentSide {
  const openAnswer = () => {
    throw new Error("nothing is answered before it is decided on");
  };
  const logLevel = caller.session?.record.logLevel;
  const context = {
    ...caller,
    admissions: new Map(),
    notify: ignore,
    relay: ignore,
    openAnswer,
    hears: false,
    logLevel,
  };
  return agentSideOf(request, context, ports);
}

/** The caller where no request of its own is forwarded. */
export function agentCaller<C extends Caller>(caller: C, ports: AgentPorts): C & AgentCaller {
  const none = { kind: "request", id: "", method: "", params: {} } as const;
  return { ...caller, agentIn: (session) => unheardAgent(none, { ...caller, session }, ports) };
}

function ignore(): void {
  // The agent hears of its request when it is decided on.
}

type Sender = Pick<AgentSide, "generation" | "protocolVersion" | "clientInfo" | "clientCapabilities">;

/** Who does not say what it is goes by the name of the gateway. */
function senderOf({ envelope, session, http }: MethodContext, ports: AgentPorts): Sender {
  if (envelope !== undefined) {
    const { protocolVersion, clientInfo = serverInfo(ports), clientCapabilities } = envelope;
    return { generation: "stateless", protocolVersion, clientInfo, clientCapabilities };
  }
  const { protocolVersion, clientInfo, clientCapabilities = {} } = session?.record ?? {};
  return {
    generation: "session",
    protocolVersion: protocolVersion ?? http.headers.get("mcp-protocol-version") ?? UNNAMED_REVISION,
    // The stream of the legacy transport begins before its client has introduced itself.
    clientInfo: clientInfo === undefined || clientInfo.name === "" ? serverInfo(ports) : clientInfo,
    clientCapabilities,
  };
}

/** Answers come as requests of their own, and find this one by the channel of their session. */
function hearsRequests({ envelope, session, hears }: MethodContext, { sessionChannel }: AgentPorts): boolean {
  return hears && envelope === undefined && session !== undefined && sessionChannel !== undefined;
}

/** Read again out of the text where a number may have changed; those of a batch are as parsed. */
function exactParams({ params }: RpcRequest, { text }: MethodContext): JsonObject {
  if (text === undefined || !mayChange(text)) return params;
  const message: unknown = parseExact(text);
  return isJsonObject(message) && isJsonObject(message.params) ? message.params : params;
}

/** Whom lists are made for: policies decide on them, and upstream MCP servers are asked on their behalf. */
export function listingCaller(message: RpcRequest, context: MethodContext, ports: AgentPorts): ListingCaller {
  const { token, signal } = context;
  return { ...policyCaller(message, context), token, signal, agent: agentSideOf(message, context, ports) };
}
