import { CALL_TOOL } from "../../config/tool-names.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import { isMetaTool } from "./meta-tools.ts";

/** What `tools/call` is about: a tool of an app, called by its own name or by way of `call_tool`, or one of ours. */
export type CalledTool =
  | { readonly kind: "app"; readonly name: string; readonly arguments: unknown; readonly isWrapped: boolean }
  | { readonly kind: "meta"; readonly name: string; readonly arguments: unknown }
  | { readonly kind: "none" };

export interface CalledToolPorts {
  /** Absent: every tool is listed. */
  readonly search?: object | undefined;
}

/**
 * Reads the parameters of `tools/call`. A `call_tool` without a good name, or with arguments in a wrong place, is one of ours,
 * which says what is wrong.
 */
export function calledTool(params: JsonObject, { search }: CalledToolPorts): CalledTool {
  const { name, arguments: given } = params;
  if (typeof name !== "string") return { kind: "none" };
  if (search === undefined || !isMetaTool(name)) return { kind: "app", name, arguments: given, isWrapped: false };
  const wrapped = name === CALL_TOOL && isJsonObject(given) ? given : {};
  const inner = wrapped.name;
  if (typeof inner !== "string" || isMetaTool(inner) || misplacedArguments(wrapped).length > 0) {
    return { kind: "meta", name, arguments: given };
  }
  return { kind: "app", name: inner, arguments: wrapped.arguments, isWrapped: true };
}

/** Names of what stands beside the `arguments` of `call_tool`: most likely arguments of the tool that it calls. */
export function misplacedArguments(given: JsonObject): readonly string[] {
  return Object.keys(given).filter((name) => name !== "name" && name !== "arguments");
}
