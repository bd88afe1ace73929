import type { Catalog, DocumentFlaw } from "../../bridge/catalog.ts";
import { valueAt } from "../path.ts";
import type { Problem } from "../rules/rule.ts";

/** What a document's owner could mend, and documents of which nothing becomes a tool. */
export function documentFlawWarnings(
  apps: readonly unknown[],
  catalogs: Readonly<Record<string, Catalog>>,
): readonly Problem[] {
  return apps.flatMap((app, index) => {
    const name = valueAt(app, ["name"]);
    if (typeof name !== "string" || !Object.hasOwn(catalogs, name)) return [];
    return flawTexts(catalogs[name] as Catalog).map((message) => ({ path: ["apps", index, "openapi"], message }));
  });
}

/** One sentence for each kind of flaw. */
export function flawTexts({ tools, leftOut, flaws = [] }: Catalog): readonly string[] {
  const none = leftOut.length === 0 ? "has no operations under paths" : "has no operation that can be a tool";
  return [...(tools.length === 0 ? [`the OpenAPI document ${none}: there are no tools`] : []), ...flaws.map(flawText)];
}

const EFFECTS: Readonly<Record<DocumentFlaw["lost"], readonly [one: string, many: string, why: string]>> = {
  argument: ["lacks an argument", "lack arguments", "parameters are at places that OpenAPI does not have"],
  "output schema": ["lacks an output schema", "lack output schemas", "responses in the document are invalid"],
};

function flawText({ lost, count, examples }: DocumentFlaw): string {
  const [one, many, why] = EFFECTS[lost];
  const rest = count > examples.length ? [`and ${count - examples.length} more`] : [];
  return `${count === 1 ? `1 tool ${one}` : `${count} tools ${many}`}, because ${why}: ${[...examples, ...rest].join("; ")}`;
}
