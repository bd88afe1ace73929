import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { INVALID_PARAMS, RpcError, UNSUPPORTED_VERSION } from "../../protocol/mcp/json-rpc.ts";
import { isRequestId, metaOf, type RpcRequest } from "../../protocol/mcp/message.ts";
import { CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROTOCOL_VERSION } from "../../protocol/mcp/meta.ts";
import { isOfStatelessGeneration, isStatelessRevision, STATELESS_REVISIONS } from "../../protocol/mcp/revisions.ts";
import { isLogLevel, type McpLogLevel } from "../../stores/mcp-sessions.ts";
import { areCapabilitiesTooLarge } from "../capabilities.ts";

/** What a request tells about its sender (MCP 2026-07-28, Base Protocol, `_meta`). */
export interface Envelope {
  readonly protocolVersion: string;
  readonly clientInfo: JsonObject | undefined;
  readonly clientCapabilities: JsonObject;
  readonly logLevel: McpLogLevel | undefined;
}

type Check = (value: unknown) => boolean;

/** Keys with what they have to be; the first two are required. */
const KEYS: readonly (readonly [key: string, isValid: Check, wanted: string])[] = [
  [PROTOCOL_VERSION, (value) => typeof value === "string", "a text"],
  [CLIENT_CAPABILITIES, isJsonObject, "an object"],
  [CLIENT_INFO, isOptional(isImplementation), "an object with name and version"],
  [LOG_LEVEL, isOptional(isLogLevel), "a log level"],
  ["progressToken", isOptional(isRequestId), "a text or an integer"],
];

/** Reads the envelope. @throws RpcError for one that is not whole, naming the key */
export function readEnvelope({ params }: RpcRequest): Envelope {
  const meta = metaOf(params);
  const faulty = KEYS.find(([key, isValid]) => !isValid(meta[key]));
  if (faulty !== undefined) throw invalid(meta, faulty);
  refuseLargeCapabilities(meta);
  const {
    [PROTOCOL_VERSION]: version,
    [CLIENT_INFO]: info,
    [CLIENT_CAPABILITIES]: capabilities,
    [LOG_LEVEL]: level,
  } = meta;
  return {
    protocolVersion: String(version),
    clientInfo: isJsonObject(info) ? info : undefined,
    clientCapabilities: isJsonObject(capabilities) ? capabilities : {},
    logLevel: isLogLevel(level) ? level : undefined,
  };
}

function refuseLargeCapabilities({ [CLIENT_CAPABILITIES]: declared }: JsonObject): void {
  if (!isJsonObject(declared) || !areCapabilitiesTooLarge(declared)) return;
  const problem = "larger than any that is defined";
  throw new RpcError(INVALID_PARAMS, `params._meta: ${CLIENT_CAPABILITIES}: ${problem}.`, {
    envelope: { key: CLIENT_CAPABILITIES, problem },
    supported: STATELESS_REVISIONS,
  });
}

/** @throws RpcError for a revision that is not served */
export function refuseRevision({ protocolVersion }: Envelope): void {
  if (isStatelessRevision(protocolVersion)) return;
  throw new RpcError(UNSUPPORTED_VERSION, "This protocol version is not served without a handshake.", {
    supported: STATELESS_REVISIONS,
    requested: protocolVersion,
  });
}

function invalid(meta: JsonObject, [key, , wanted]: (typeof KEYS)[number]): RpcError {
  const isMissing = meta[key] === undefined;
  const problem = isMissing ? "missing" : `must be ${wanted}`;
  return new RpcError(INVALID_PARAMS, `params._meta: ${key}: ${problem}.`, {
    envelope: { key, problem },
    supported: STATELESS_REVISIONS,
  });
}

function isOptional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function isImplementation(value: unknown): boolean {
  return isJsonObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

/**
 * Whether a message belongs to the stateless generation: it says so itself, in `_meta`, or its header names a revision of
 * that generation, which is never treated as old. Notifications have no `_meta` of that kind, so that the header decides.
 */
export function isStateless(request: Request, body: unknown): boolean {
  return claims(body) || (!isResponse(body) && isOfStatelessGeneration(request.headers.get("mcp-protocol-version")));
}

function claims(body: unknown): boolean {
  if (Array.isArray(body)) return body.some(claims);
  const params = isJsonObject(body) ? body.params : undefined;
  const meta = isJsonObject(params) ? params._meta : undefined;
  return isJsonObject(meta) && meta[PROTOCOL_VERSION] !== undefined;
}

/** No generation without a handshake has requests of the server that would be answered. */
function isResponse(body: unknown): boolean {
  return isJsonObject(body) && body.method === undefined && ("result" in body || "error" in body);
}
