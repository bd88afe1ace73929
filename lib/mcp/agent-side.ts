import type { Gateway } from "../gateway/gateway.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { AgentSide } from "../proxy/agent-side.ts";
import { mayChange, parseExact } from "../proxy/wire/exact-json.ts";
import type { Caller, MethodContext } from "./caller.ts";
import { serverInfo } from "./capabilities.ts";
import type { RpcRequest } from "./message.ts";
import { UNNAMED_REVISION } from "./revisions.ts";

/** The agent of a request, as the upstream that the request is forwarded to gets to know it. */
export function agentSideOf(request: RpcRequest, context: MethodContext, gateway: Gateway): AgentSide {
  const { session, logLevel, relay, openAnswer } = context;
  let params: JsonObject | undefined;
  return {
    ...senderOf(context, gateway),
    id: request.id,
    logLevel,
    session,
    get params() {
      params ??= exactParams(request, context);
      return params;
    },
    hearsRequests: hearsRequests(context, gateway),
    relay,
    openAnswer,
  };
}

/** The agent while it is decided on its request: it hears nothing of what upstreams are asked for that. */
export function unheardAgent(request: RpcRequest, caller: Caller, gateway: Gateway): AgentSide {
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
  return agentSideOf(request, context, gateway);
}

function ignore(): void {
  // The agent hears of its request when it is decided on.
}

type Sender = Pick<AgentSide, "generation" | "protocolVersion" | "clientInfo" | "clientCapabilities">;

/** Who does not say what it is goes by the name of the gateway. */
function senderOf({ envelope, session, http }: MethodContext, gateway: Gateway): Sender {
  if (envelope !== undefined) {
    const { protocolVersion, clientInfo = serverInfo(gateway), clientCapabilities } = envelope;
    return { generation: "stateless", protocolVersion, clientInfo, clientCapabilities };
  }
  const { protocolVersion, clientInfo, clientCapabilities = {} } = session?.record ?? {};
  return {
    generation: "session",
    protocolVersion: protocolVersion ?? http.headers.get("mcp-protocol-version") ?? UNNAMED_REVISION,
    // The stream of the legacy transport begins before its client has introduced itself.
    clientInfo: clientInfo === undefined || clientInfo.name === "" ? serverInfo(gateway) : clientInfo,
    clientCapabilities,
  };
}

/** Answers come as requests of their own, and find this one by the channel of their session. */
function hearsRequests({ envelope, session, hears }: MethodContext, { dependencies }: Gateway): boolean {
  return hears && envelope === undefined && session !== undefined && dependencies.sessionChannel !== undefined;
}

/** Read again out of the text where a number may have changed; those of a batch are as parsed. */
function exactParams({ params }: RpcRequest, { text }: MethodContext): JsonObject {
  if (text === undefined || !mayChange(text)) return params;
  const message: unknown = parseExact(text);
  return isJsonObject(message) && isJsonObject(message.params) ? message.params : params;
}
