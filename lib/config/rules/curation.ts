import type { CurationFindings, OperationPattern } from "../../bridge/curation.ts";
import type { Path } from "../path.ts";
import { nearest } from "../suggest.ts";
import type { Problem } from "./rule.ts";

/**
 * What of `openapi.include`, `exclude` and `overrides` came to nothing.
 * @param places of the patterns, below the app
 */
export function curationProblems(
  { unmatched, candidates, isEmpty, unknown, clashing, tools }: CurationFindings,
  places: ReadonlyMap<OperationPattern, Path>,
  app: Path,
): readonly Problem[] {
  const overrides = [...app, "openapi", "overrides"];
  const empty = "leave no operation of the OpenAPI document; accepted: patterns that leave at least one";
  return [
    ...unmatched.map((pattern) => {
      const message = `found ${JSON.stringify(pattern.text)}, which matches no operation; ${hint(pattern.text, candidates)}`;
      return { path: [...app, ...(places.get(pattern) ?? [])], message };
    }),
    ...(isEmpty ? [{ path: [...app, "openapi"], message: `include and exclude ${empty}` }] : []),
    ...unknown.map((name) => {
      const message = `is the name of no tool of this app; ${hint(name, tools)}`;
      return { path: [...overrides, name], atKey: true, message };
    }),
    ...clashing.map((name) => {
      const message = "is the name of another tool of this app; accepted: a name that none has";
      return { path: [...overrides, name, "name"], message };
    }),
  ];
}

function hint(mistyped: string, known: readonly string[]): string {
  const suggestion = nearest(mistyped, known);
  return suggestion === undefined ? "see `countersign tools`" : `did you mean "${suggestion}"?`;
}
