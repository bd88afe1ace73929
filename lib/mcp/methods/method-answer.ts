import type { JsonObject } from "../../json.ts";
import type { Forwarded } from "../../proxy/forwarded.ts";

/** What a method answers a request with: a result of ours, to which is added what the revision asks for, or what an upstream answered. */
export type MethodAnswer = { readonly kind: "result"; readonly result: JsonObject } | Forwarded;

export function resultAnswer(result: JsonObject): MethodAnswer {
  return { kind: "result", result };
}
