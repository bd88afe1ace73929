import { isJsonObject, type JsonObject } from "../json.ts";
import type { RpcRequest } from "../mcp/message.ts";
import type { Listener } from "./deliver.ts";
import { parseExact } from "./wire/exact-json.ts";
import type { UpstreamMessage } from "./wire/upstream-message.ts";

/** Hands on a notification or a request, with its numbers as they were written. False for an answer. */
export function hear({ text, message }: Extract<UpstreamMessage, { kind: "whole" }>, listener: Listener): boolean {
  const { method, id } = message;
  if (typeof method !== "string") return false;
  const exact = parseExact(text) as JsonObject;
  if (id === undefined) listener.notified(exact);
  else {
    const params = isJsonObject(exact.params) ? exact.params : {};
    listener.asked({ kind: "request", id: id as RpcRequest["id"], method, params }, exact);
  }
  return true;
}
