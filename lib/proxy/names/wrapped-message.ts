import { isJsonObject, type JsonObject } from "../../json.ts";
import type { RewriteRules } from "../wire/rewrite-rules.ts";
import { exchangeText } from "./exchange-text.ts";
import type { Naming } from "./namespaced.ts";
import { messageRulesOf } from "./rules-of.ts";

/** A message that was read already, with what `replace` is about replaced. */
export function withReplaced(message: JsonObject, { replace = [] }: RewriteRules): JsonObject {
  return replace.reduce((changed, rule) => exchangeText(changed, rule.path, rule.with), message);
}

/** A notification or request of an upstream as agents get it. */
export function wrappedMessage(message: JsonObject, app: Naming): JsonObject {
  return typeof message.method === "string" ? withReplaced(message, messageRulesOf(app, message.method)) : message;
}

/** The `inputRequests` of a result or a task, by their keys, as agents get them (MCP 2026-07-28, Multi Round-Trip Requests). */
export function wrappedInputRequests(inputRequests: JsonObject, app: Naming): JsonObject {
  return Object.fromEntries(
    Object.entries(inputRequests).map(([key, request]) => [
      key,
      isJsonObject(request) ? wrappedMessage(request, app) : request,
    ]),
  );
}
