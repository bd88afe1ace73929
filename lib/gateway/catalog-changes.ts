import type { ToolIndex } from "./tool-index.ts";

/** Counts how often the tools that agents see have changed; streams that are open look at it now and then. */
export interface CatalogChanges {
  count(): number;
  /**
   * Takes note of the tools that are served from now on.
   *
   * @param above how many make agents search instead of seeing them; absent: none do
   */
  serve(tools: ToolIndex, above?: number): void;
}

export function createCatalogChanges(): CatalogChanges {
  let served: { readonly tools: ToolIndex; readonly above: number | undefined } | undefined;
  let changes = 0;
  return {
    count: () => changes,
    serve: (tools, above) => {
      const isSame = served === undefined || (served.above === above && isSameCatalog(served.tools, tools));
      if (!isSame) changes += 1;
      served = { tools, above };
    },
  };
}

/** Catalogs mostly stay the objects that they were when a configuration is read again. */
function isSameCatalog(one: ToolIndex, other: ToolIndex): boolean {
  return (
    one.size === other.size &&
    [...one].every(([name, { tool }]) => {
      const same = other.get(name)?.tool;
      return same === tool || JSON.stringify(same) === JSON.stringify(tool);
    })
  );
}
