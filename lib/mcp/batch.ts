import { INVALID_REQUEST, idOf, jsonRpcError } from "./json-rpc.ts";
import { type RpcMessage, readRpcMessage } from "./message.ts";
import { UNNAMED_REVISION } from "./revisions.ts";

/** Each call of a batch is authorized, recorded and made; one HTTP request causes no more than these. */
export const MAX_MESSAGES = 20;

/** The messages of a body: one, or those of a batch (JSON-RPC 2.0 §6); else the answer that refuses it. */
export function readBatch(body: unknown): readonly RpcMessage[] | Response {
  if (!Array.isArray(body)) {
    const message = readRpcMessage(body);
    return message === undefined ? refuse("The body is not a JSON-RPC message of MCP.", body) : [message];
  }
  if (body.length === 0) return refuse("A batch has at least one message.");
  if (body.length > MAX_MESSAGES) return refuse(`A batch has at most ${MAX_MESSAGES} messages.`);
  const messages = body.map(readRpcMessage).filter((message) => message !== undefined);
  if (messages.length < body.length)
    return refuse("A batch has messages of JSON-RPC as MCP has them, and nothing else.");
  // MCP 2025-03-26, Lifecycle: until it is answered there is nothing to send with it.
  const isInitializing = messages.some((message) => message.kind === "request" && message.method === "initialize");
  return isInitializing ? refuse("initialize is never part of a batch.") : messages;
}

/** Refuses a batch of a revision without batches; undefined is a request that names none. */
export function refuseBatch(revision: string | undefined = UNNAMED_REVISION): Response | undefined {
  return revision === UNNAMED_REVISION ? undefined : refuse("This revision of MCP has no batches.");
}

function refuse(problem: string, body?: unknown): Response {
  return jsonRpcError(400, INVALID_REQUEST, problem, { id: idOf(body) });
}
