import { isJsonObject, type JsonObject } from "../../kernel/json.ts";

/** What is decided on, sealed or named in the params of a request; `type`, `name` and `uri` are also those of `ref`. */
const MEMBERS = [
  "_meta",
  "arguments",
  "inputResponses",
  "name",
  "ref",
  "requestState",
  "task",
  "taskId",
  "type",
  "uri",
] as const;

const EXACT: ReadonlySet<string> = new Set(MEMBERS);
const FOLDED: ReadonlySet<string> = new Set(MEMBERS.map(folded));

/**
 * Params without members such as `Name` and `URI`: many servers read JSON without regard to case (Go's `encoding/json`, where the last
 * one counts), and would do something else than what was decided on (checklist 26).
 */
export function withoutLookalikes(params: JsonObject): JsonObject {
  const plain = ownMembers(params);
  const { ref } = plain;
  if (!isJsonObject(ref)) return plain;
  const named = ownMembers(ref);
  return named === ref ? plain : { ...plain, ref: named };
}

/** The same object where there is nothing to leave out. */
function ownMembers(value: JsonObject): JsonObject {
  const entries = Object.entries(value);
  const kept = entries.filter(([name]) => EXACT.has(name) || !FOLDED.has(folded(name)));
  return kept.length === entries.length ? value : Object.fromEntries(kept);
}

/** As Unicode folds case: `ſ` is an `s`, and the Kelvin sign a `k`. */
function folded(name: string): string {
  return name.toUpperCase().toLowerCase();
}
