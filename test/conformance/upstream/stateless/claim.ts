import type { IncomingMessage } from "node:http";
import { header } from "../http.ts";
import { objectAt, type RpcMessage } from "../json-rpc.ts";
import { PROTOCOL_VERSION, STATELESS_REVISION } from "./meta.ts";

/** Whether a message is of the revision without a handshake: it says so in `_meta`, or its headers do. */
export function isStateless(request: IncomingMessage, message: RpcMessage): boolean {
  if (header(request, "mcp-protocol-version") === STATELESS_REVISION) return true;
  return message.kind === "request" && objectAt(message.params, "_meta")[PROTOCOL_VERSION] !== undefined;
}
