import { isJsonObject } from "../kernel/json.ts";
import { ALLOWED, DENIED, type Decision, failed } from "./policy.ts";

/** What an agent may be told by a policy, characters. */
const MESSAGE_LIMIT = 1_000;

/** The decision that a document of Rego says: a boolean, or a mapping with a boolean `allowed` and a text `external_message`. */
export function decisionOf(result: unknown): Decision {
  const allowed = isJsonObject(result) ? result.allowed : result;
  if (typeof allowed !== "boolean") return failed("malformed_answer");
  if (allowed) return ALLOWED;
  const message = isJsonObject(result) ? result.external_message : undefined;
  if (typeof message !== "string" || message === "") return DENIED;
  return { outcome: "denied", message: message.slice(0, MESSAGE_LIMIT) };
}

/** As for a call, where it is the same for all tools; else the names of those that are allowed. */
export function listOf(result: unknown): Decision | ReadonlySet<string> {
  const allowed = isJsonObject(result) ? result.allowed : result;
  if (!Array.isArray(allowed)) return decisionOf(result);
  return allowed.every((name) => typeof name === "string") ? new Set(allowed) : failed("malformed_answer");
}
