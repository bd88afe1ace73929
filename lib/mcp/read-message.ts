import { callerKey, type Sender } from "../gateway/identity.ts";
import { jsonTextExceeds } from "../kernel/json.ts";
import { essence } from "../protocol/http/media-type.ts";
import { readBody } from "../protocol/http/read-body.ts";
import { INVALID_REQUEST, idOf, jsonRpcError, PARSE_ERROR, REFUSED } from "../protocol/mcp/json-rpc.ts";
import { type RpcMessage, readRpcMessage } from "../protocol/mcp/message.ts";
import { UNNAMED_REVISION } from "../protocol/mcp/revisions.ts";
import type { MessageRoom, Place } from "./message-room.ts";

const LIMIT = 4 * 1024 * 1024;
/** Deeper and of more values than any honest message; bounds every walk over the arguments. */
const MAX_DEPTH = 100;
const MAX_NODES = 20_000;

/** Seconds. */
const RETRY_AFTER = 2;

/** Making one takes longer than decoding most messages. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body of a POST: as JSON, and as it was written. */
export interface ReadMessage {
  readonly message: unknown;
  readonly text: string;
  /** What it takes; to be left when its answer is out. */
  readonly place: Place;
}

export interface RoomPorts {
  readonly messageRoom: MessageRoom;
}

/** The body of a POST, or the answer that refuses it. */
export async function readMessage(
  request: Request,
  sender: Sender,
  { messageRoom }: RoomPorts,
): Promise<ReadMessage | Response> {
  if (essence(request.headers.get("content-type")) !== "application/json") {
    return jsonRpcError(415, REFUSED, "The Content-Type must be application/json.");
  }
  const declared = request.headers.get("Content-Length");
  const caller = callerKey(sender);
  const place = await messageRoom.enter(caller, declared === null ? undefined : Math.min(Number(declared), LIMIT));
  if (place === undefined) {
    const headers = { "retry-after": String(RETRY_AFTER) };
    const text = "The large messages that are in work leave no room for this one; try again later.";
    return jsonRpcError(503, REFUSED, text, { headers });
  }
  const read = await readInPlace(request, caller, place, messageRoom).catch((cause: unknown) => {
    place.leave();
    throw cause;
  });
  if (read instanceof Response) place.leave();
  return read;
}

async function readInPlace(
  request: Request,
  caller: string,
  place: Place,
  { compute }: MessageRoom,
): Promise<ReadMessage | Response> {
  const bytes = await readBody(request, LIMIT);
  if (bytes === undefined) return jsonRpcError(413, REFUSED, `A message has at most ${LIMIT} bytes.`);
  place.settle(bytes.length);
  if (jsonTextExceeds(bytes, { depth: MAX_DEPTH, nodes: MAX_NODES })) {
    return jsonRpcError(
      400,
      INVALID_REQUEST,
      `A message is nested at most ${MAX_DEPTH} levels deep and has at most ${MAX_NODES} values.`,
    );
  }
  const json = await compute(caller, bytes.length, () => parse(bytes));
  if (json === undefined) return jsonRpcError(400, PARSE_ERROR, "The body is not valid JSON.");
  return { ...json, place };
}

function parse(bytes: Uint8Array): Omit<ReadMessage, "place"> | undefined {
  try {
    const text = UTF8.decode(bytes);
    return { message: JSON.parse(text), text };
  } catch {
    // Neither UTF-8 nor JSON; the answer says so.
    return undefined;
  }
}

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
