import type { ServerResponse } from "node:http";
import { SERVER_CAPABILITIES, SERVER_INFO } from "../capabilities.ts";
import type { Changes } from "../changes.ts";
import { sendError, sendJson } from "../http.ts";
import { INVALID_PARAMS, isObject, RpcError, type RpcRequest, resultMessage } from "../json-rpc.ts";
import { type Sessions, startSession } from "./session.ts";

/** Revisions with a handshake, the newest first. */
const REVISIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** The first that primes its streams: an older client may not know events without data. */
export const PRIMING_REVISION = REVISIONS[0];
/** The first whose clients repeat the revision in a header. */
export const HEADER_REVISION = "2025-06-18";

/** Answers `initialize` with the asked revision or the newest, and with a session (MCP 2025-11-25, Lifecycle). */
export function initialize(
  { id, params }: RpcRequest,
  response: ServerResponse,
  sessions: Sessions,
  changes: Changes,
): void {
  const { protocolVersion: asked, capabilities, clientInfo } = params;
  if (typeof asked !== "string" || !isObject(capabilities) || !isObject(clientInfo)) {
    const message = "initialize needs protocolVersion, capabilities and clientInfo.";
    sendError(response, 400, new RpcError(INVALID_PARAMS, message), id);
    return;
  }
  const protocolVersion = REVISIONS.find((revision) => revision === asked) ?? REVISIONS[0];
  const session = startSession(protocolVersion, capabilities, sessions, changes);
  const result = { protocolVersion, capabilities: SERVER_CAPABILITIES, serverInfo: SERVER_INFO };
  sendJson(response, 200, resultMessage(id, result), { "mcp-session-id": session.id });
}
