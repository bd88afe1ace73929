import { isJsonObject, type JsonObject } from "../kernel/json.ts";
import { type ResultRule, WithheldError } from "./result-rule.ts";
import { prepareResults, type ResultRules } from "./result-rules.ts";
import { maskedMessage, ruledTask } from "./ruled-result.ts";

/** `tools.rules` of an app. */
export type ServerRules = readonly { readonly result?: ResultRule }[] | undefined;

const together = new WeakMap<object, { readonly rules: ResultRules | undefined }>();

/** All rules for results of an app together: for what its server says of some tool, and not of which. Undefined: there are none. */
export function rulesTogether(entries: ServerRules): ResultRules | undefined {
  if (entries === undefined) return undefined;
  const known = together.get(entries) ?? { rules: joined(entries) };
  together.set(entries, known);
  return known.rules;
}

function joined(entries: NonNullable<ServerRules>): ResultRules | undefined {
  const all = entries.flatMap(({ result }) => result ?? []);
  if (all.length === 0) return undefined;
  const rule = { remove: all.flatMap(({ remove = [] }) => remove), mask: all.flatMap(({ mask = [] }) => mask) };
  const made = prepareResults(rule, undefined);
  return "withheld" in made ? undefined : made;
}

/**
 * Whether a notification of a server goes on: where something is taken out of results, log messages could say it, and progress by
 * a masked number is none.
 */
export function isPassedOn({ method, params }: JsonObject, entries: ServerRules): boolean {
  const rules = rulesTogether(entries);
  if (rules === undefined || !isJsonObject(params)) return true;
  if (method === "notifications/message") return rules.removal === undefined;
  if (method !== "notifications/progress") return true;
  const { progress, total } = params;
  const shown = maskedMessage({ progress, total }, rules) as JsonObject;
  return shown.progress === progress && shown.total === total;
}

/** What a server says by itself, while calls run or between them: a notification or a request of its own. */
export function ruledSaying(message: JsonObject, entries: ServerRules): JsonObject {
  const rules = rulesTogether(entries);
  const { method, params } = message;
  if (rules === undefined || !isJsonObject(params)) return message;
  if (method === "notifications/tasks" || method === "notifications/tasks/status")
    return { ...message, params: taskOf(params, rules) };
  if (method === "notifications/progress" && rules.removal !== undefined) {
    const { message: _, ...told } = params;
    return { ...message, params: maskedMessage(told, rules) };
  }
  return { ...message, params: maskedMessage(params, rules) };
}

/** One whose result is withheld is told without: who asks for it learns why. */
function taskOf(params: JsonObject, rules: ResultRules): JsonObject {
  try {
    return ruledTask(params, rules, { parse: JSON.parse });
  } catch (error) {
    if (!(error instanceof WithheldError)) throw error;
    const { taskId, status, ttl, createdAt } = params;
    return { taskId, status, ttl, createdAt };
  }
}
