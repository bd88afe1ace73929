import type { Catalog } from "../../bridge/catalog.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** How many operations of one app are named, each with another mistake. */
const NAMED = 3;

/** Operations that are no tools because their part of the OpenAPI document is invalid: its owner can mend it. */
export function invalidOperationWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    const catalog = typeof name === "string" && Object.hasOwn(catalogs, name) ? catalogs[name] : undefined;
    const invalid = catalog?.leftOut.filter(({ reason }) => reason === "invalid operation") ?? [];
    if (catalog === undefined || invalid.length === 0) return [];
    const count = `${invalid.length} of ${catalog.tools.length + catalog.leftOut.length} operations`;
    // What is wrong in several is mended once.
    const mistakes = new Map(invalid.toReversed().map(({ operation, detail }) => [detail, operation]));
    const first = invalid.filter(({ operation, detail }) => mistakes.get(detail) === operation).slice(0, NAMED);
    const named = first.map(({ operation, detail }) => `${operation}: ${detail}`);
    const rest = invalid.length > first.length ? [`… see \`countersign tools\``] : [];
    const message = `${count} of the OpenAPI document are no tools, because they are invalid: ${[...named, ...rest].join("; ")}`;
    return [{ path: ["apps", index, "openapi"], message }];
  });
}
