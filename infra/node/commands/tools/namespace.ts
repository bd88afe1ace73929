import { valueAt } from "../../../../lib/config/path.ts";

/** What stands in front of the names of an app's tools; null: a placeholder. */
export function namespaceOf({ name, document }: { readonly name: string; readonly document: unknown }): string | null {
  if (valueAt(document, ["toolNamespace", "disabled"]) === true) return "";
  const given = valueAt(document, ["toolNamespace", "name"]);
  if (given === null) return null;
  return typeof given === "string" ? given : `${name}_`;
}
