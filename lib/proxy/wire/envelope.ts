import { isJsonObject, type JsonObject, jsonExceeds } from "../../json.ts";
import { readRpcMessage } from "../../mcp/message.ts";
import { MAX_DEPTH } from "./json-tokenizer.ts";
import { brokenJson } from "./upstream-failure.ts";

/**
 * The JSON-RPC message that a text is. What it carries is not looked at.
 *
 * @throws {UpstreamFailure} `broken_json`
 */
export function parseMessage(text: string): JsonObject {
  const value = parse(text);
  // Each level takes two characters.
  if (text.length > 2 * MAX_DEPTH && jsonExceeds(value, { depth: MAX_DEPTH + 1 })) {
    throw brokenJson(`it has more than ${MAX_DEPTH} levels`);
  }
  if (!isJsonObject(value) || !isMessage(value)) throw brokenJson(WANTED);
  return value;
}

const WANTED =
  'it is JSON, but no JSON-RPC message: an object with `"jsonrpc": "2.0"` and a `method`, or with an `id` and either a `result` or an `error`, which are objects';

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw brokenJson("it is no JSON");
  }
}

function isMessage(value: JsonObject): boolean {
  const message = readRpcMessage(value);
  return message !== undefined && (message.kind !== "response" || isJsonObject(value.result ?? value.error));
}
