import type { Curation, OperationPattern, ToolOverride } from "../bridge/curation.ts";
import type { Provided } from "../bridge/openapi/security.ts";
import { type Path, valueAt } from "./path.ts";
import { isToolPattern } from "./schema/apps/tool-name.ts";
import { toolPattern } from "./tool-pattern.ts";

export interface AppCuration extends Curation {
  /** Where each pattern stands, below the app. */
  readonly places: ReadonlyMap<OperationPattern, Path>;
}

/** The curation of an app of the plain document. What the schema refuses is left out, placeholders too: rules tell of them. */
export function curationOf(app: unknown): AppCuration {
  const places = new Map<OperationPattern, Path>();
  const patterns = (key: "include" | "exclude") => {
    const list = valueAt(app, ["openapi", key]);
    return (Array.isArray(list) ? list : []).flatMap((text: unknown, index): OperationPattern[] => {
      if (typeof text !== "string" || !isToolPattern(text)) return [];
      const pattern = { text, matches: toolPattern(text) };
      places.set(pattern, ["openapi", key, index]);
      return [pattern];
    });
  };
  const overrides = entriesOf(valueAt(app, ["openapi", "overrides"]));
  return {
    include: patterns("include"),
    exclude: patterns("exclude"),
    overrides: new Map(overrides.map(([tool, override]) => [tool, overrideOf(override)])),
    places,
  };
}

/** What the calls of an app get from its configuration. */
export function providedBy(app: unknown): Provided {
  const names = (key: string) => entriesOf(valueAt(app, ["upstream", key])).map(([name]) => name);
  return { schemes: names("auth"), headers: names("headers") };
}

function overrideOf(override: unknown): ToolOverride {
  const [name, title, description] = ["name", "title", "description"].map((key) => textOf(valueAt(override, [key])));
  const annotations = entriesOf(valueAt(override, ["annotations"]));
  return {
    ...(name !== undefined && { name }),
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}
