import type { Gateway } from "../../gateway/gateway.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Caller } from "../caller.ts";
import { type Served, serverInfo } from "../capabilities.ts";
import { areCapabilitiesTooLarge } from "../client-capabilities.ts";
import { INVALID_PARAMS, RpcError } from "../json-rpc.ts";
import type { RpcRequest } from "../message.ts";
import { isSessionRevision, LATEST_SESSION_REVISION } from "../revisions.ts";
import { selfDescription } from "../self-description.ts";

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
  gateway: Gateway,
): Promise<JsonObject> {
  return { protocolVersion, ...(await selfDescription(served, caller, gateway)), serverInfo: serverInfo(gateway) };
}

function invalid(problem: string): RpcError {
  return new RpcError(INVALID_PARAMS, `${problem}.`);
}
