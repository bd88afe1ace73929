import { essence } from "../http/media-type.ts";
import { readBody } from "../http/read-body.ts";
import { jsonExceeds } from "../json.ts";
import { INVALID_REQUEST, jsonRpcError, PARSE_ERROR, REFUSED } from "./json-rpc.ts";

const LIMIT = 4 * 1024 * 1024;
/** Deeper and of more values than any honest message; bounds every walk over the arguments. */
const MAX_DEPTH = 100;
const MAX_NODES = 100_000;

/** Making one takes longer than decoding most messages. */
const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body of a POST: as JSON, and as it was written. */
export interface ReadMessage {
  readonly message: unknown;
  readonly text: string;
}

/** The body of a POST, or the answer that refuses it. */
export async function readMessage(request: Request): Promise<ReadMessage | Response> {
  if (essence(request.headers.get("content-type")) !== "application/json") {
    return jsonRpcError(415, REFUSED, "The Content-Type must be application/json.");
  }
  const bytes = await readBody(request, LIMIT);
  if (bytes === undefined) return jsonRpcError(413, REFUSED, `A message has at most ${LIMIT} bytes.`);
  const json = parse(bytes);
  if (json === undefined) return jsonRpcError(400, PARSE_ERROR, "The body is not valid JSON.");
  if (jsonExceeds(json.message, { depth: MAX_DEPTH, nodes: MAX_NODES })) {
    return jsonRpcError(
      400,
      INVALID_REQUEST,
      `A message is nested at most ${MAX_DEPTH} levels deep and has at most ${MAX_NODES} values.`,
    );
  }
  return json;
}

function parse(bytes: Uint8Array): ReadMessage | undefined {
  try {
    const text = UTF8.decode(bytes);
    return { message: JSON.parse(text), text };
  } catch {
    // Neither UTF-8 nor JSON; the answer says so.
    return undefined;
  }
}
