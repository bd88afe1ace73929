import { isLogLevel, type LogLevel } from "../context.ts";
import {
  INVALID_PARAMS,
  isObject,
  type JsonObject,
  objectAt,
  RpcError,
  type RpcRequest,
  UNSUPPORTED_VERSION,
} from "../json-rpc.ts";

const PREFIX = "io.modelcontextprotocol";
export const PROTOCOL_VERSION = `${PREFIX}/protocolVersion`;
const CLIENT_INFO = `${PREFIX}/clientInfo`;
const CLIENT_CAPABILITIES = `${PREFIX}/clientCapabilities`;
const LOG_LEVEL = `${PREFIX}/logLevel`;
export const SERVER_INFO_KEY = `${PREFIX}/serverInfo`;
export const SUBSCRIPTION_ID = `${PREFIX}/subscriptionId`;

export const STATELESS_REVISION = "2026-07-28";

/** What a request says of its sender (MCP 2026-07-28, Base Protocol, `_meta`). */
export interface Envelope {
  readonly protocolVersion: string;
  readonly clientCapabilities: JsonObject;
  readonly logLevel: LogLevel | undefined;
}

/** @throws RpcError for one that is not whole */
export function readEnvelope({ params }: RpcRequest): Envelope {
  const meta = objectAt(params, "_meta");
  const { [PROTOCOL_VERSION]: protocolVersion, [CLIENT_CAPABILITIES]: clientCapabilities } = meta;
  if (typeof protocolVersion !== "string") throw invalid(PROTOCOL_VERSION);
  if (!isObject(clientCapabilities)) throw invalid(CLIENT_CAPABILITIES);
  if (meta[CLIENT_INFO] !== undefined && !isObject(meta[CLIENT_INFO])) throw invalid(CLIENT_INFO);
  const logLevel = meta[LOG_LEVEL];
  if (logLevel !== undefined && !isLogLevel(logLevel)) throw invalid(LOG_LEVEL);
  return { protocolVersion, clientCapabilities, logLevel };
}

/** @throws RpcError for a revision that is not served */
export function refuseVersion({ protocolVersion }: Envelope): void {
  if (protocolVersion === STATELESS_REVISION) return;
  throw new RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", {
    supported: [STATELESS_REVISION],
    requested: protocolVersion,
  });
}

function invalid(key: string): RpcError {
  return new RpcError(INVALID_PARAMS, `params._meta: ${key} is missing or not what it has to be.`);
}
