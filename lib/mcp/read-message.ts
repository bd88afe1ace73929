import { readBody } from "../bridge/read-body.ts";
import { INVALID_REQUEST, jsonRpcError, PARSE_ERROR, REFUSED } from "./json-rpc.ts";

const LIMIT = 4 * 1024 * 1024;
/** Deeper than any honest message; bounds every walk over the arguments. */
const MAX_DEPTH = 100;

/** The body of a POST as JSON, or the answer that refuses it. */
export async function readMessage(request: Request): Promise<{ readonly message: unknown } | Response> {
  const contentType = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  if (contentType !== "application/json") {
    return jsonRpcError(415, REFUSED, "The Content-Type must be application/json.");
  }
  const bytes = await readBody(request, LIMIT);
  if (bytes === undefined) return jsonRpcError(413, REFUSED, `A message has at most ${LIMIT} bytes.`);
  const json = parse(bytes);
  if (json === undefined) return jsonRpcError(400, PARSE_ERROR, "The body is not valid JSON.");
  if (depth(json.message) > MAX_DEPTH) {
    return jsonRpcError(400, INVALID_REQUEST, `A message is nested at most ${MAX_DEPTH} levels deep.`);
  }
  return json;
}

function parse(bytes: Uint8Array): { readonly message: unknown } | undefined {
  try {
    return { message: JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) };
  } catch {
    // Neither UTF-8 nor JSON; the answer says so.
    return undefined;
  }
}

function depth(value: unknown): number {
  let levels = 0;
  for (let level = [value]; level.length > 0 && levels <= MAX_DEPTH; levels++) {
    level = level.flatMap((entry) => (typeof entry === "object" && entry !== null ? Object.values(entry) : []));
  }
  return levels;
}
