import { CALL_TOOL } from "../../config/meta-tool-names.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Gateway } from "../gateway.ts";
import { isMetaTool } from "./meta-tools.ts";

/** What `tools/call` is about: a tool of an app, called by its own name or by way of `call_tool`, or one of ours. */
export type CalledTool =
  | { readonly kind: "app"; readonly name: string; readonly arguments: unknown; readonly isWrapped: boolean }
  | { readonly kind: "meta"; readonly name: string; readonly arguments: unknown }
  | { readonly kind: "none" };

/** Reads the parameters of `tools/call`. A `call_tool` without a good name is one of ours, which says what is wrong. */
export function calledTool(params: JsonObject, { search }: Pick<Gateway, "search">): CalledTool {
  const { name, arguments: given } = params;
  if (typeof name !== "string") return { kind: "none" };
  if (search === undefined || !isMetaTool(name)) return { kind: "app", name, arguments: given, isWrapped: false };
  const inner = name === CALL_TOOL && isJsonObject(given) ? given : {};
  if (typeof inner.name !== "string" || isMetaTool(inner.name)) return { kind: "meta", name, arguments: given };
  return { kind: "app", name: inner.name, arguments: inner.arguments, isWrapped: true };
}
