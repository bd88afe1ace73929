import { type IntroducingPorts, introduceUpstreams } from "../../gateway/proxied/introduce.ts";
import type { ToolIndex } from "../../gateway/tool-index.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { INVALID_PARAMS, RpcError } from "../../protocol/mcp/json-rpc.ts";
import type { RpcRequest } from "../../protocol/mcp/message.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../../protocol/mcp/revisions.ts";
import { mergedInstructions } from "../../upstream/channel/merged-capabilities.ts";
import { type AgentPorts, agentCaller } from "../agent-side.ts";
import type { Caller } from "../caller.ts";
import { areCapabilitiesTooLarge, capabilities, type Served, serverInfo } from "../capabilities.ts";

/** What a client says in its handshake, and the revision that comes of it. */
export interface Handshake {
  readonly protocolVersion: string;
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly clientCapabilities: JsonObject;
}

/** Characters of a client's name and version that are kept. */
const NAME_LENGTH = 200;

/**
 * Reads the parameters of `initialize`. A revision that is served is agreed to, for any other the client is offered the
 * latest with a handshake (MCP 2025-11-25, Lifecycle, Version Negotiation).
 */
export function readHandshake({ params }: RpcRequest): Handshake {
  const { protocolVersion, clientInfo, capabilities: declared } = params;
  if (typeof protocolVersion !== "string") throw invalid("params.protocolVersion must be a text");
  if (!isJsonObject(clientInfo) || typeof clientInfo.name !== "string" || typeof clientInfo.version !== "string") {
    throw invalid("params.clientInfo must have a name and a version");
  }
  if (!isJsonObject(declared)) throw invalid("params.capabilities must be an object");
  if (areCapabilitiesTooLarge(declared)) throw invalid("params.capabilities is larger than any that is defined");
  return {
    protocolVersion: isSessionRevision(protocolVersion) ? protocolVersion : LATEST_SESSION_REVISION,
    clientInfo: { name: clientInfo.name.slice(0, NAME_LENGTH), version: clientInfo.version.slice(0, NAME_LENGTH) },
    clientCapabilities: declared,
  };
}

/** The answer to `initialize`. */
export async function initializeResult(
  { protocolVersion }: Handshake,
  served: Served,
  caller: Caller,
  ports: DescribingPorts,
): Promise<JsonObject> {
  return { protocolVersion, ...(await selfDescription(served, caller, ports)), serverInfo: serverInfo(ports) };
}

function invalid(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `${problem}.`);
}

export type DescribingPorts = IntroducingPorts & AgentPorts & { readonly tools: ToolIndex };

/** What clients may count on, and what their models should know: of the gateway, and of the upstreams that the caller may see. */
export async function selfDescription(served: Served, caller: Caller, ports: DescribingPorts): Promise<JsonObject> {
  const introduced = ports.proxies.apps.length === 0 ? [] : await introduceUpstreams(agentCaller(caller, ports), ports);
  const instructions = mergedInstructions(
    introduced.map(({ app, said }) => ({ app: app.name, instructions: said?.instructions })),
  );
  return {
    capabilities: capabilities(served, { hasOwnTools: ports.tools.size > 0, introduced }),
    ...(instructions !== undefined && { instructions }),
  };
}
