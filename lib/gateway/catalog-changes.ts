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
  /** Takes note of something else that changes lists, as an owner's decision does. */
  note(): void;
}

export function createCatalogChanges(): CatalogChanges {
  let served: { readonly tools: ToolIndex; readonly above: number | undefined } | undefined;
  let changes = 0;
  return {
    count: () => changes,
    note: () => {
      changes += 1;
    },
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
    [...one].every(([name, { tool, argumentRules }]) => {
      const same = other.get(name);
      if (JSON.stringify(same?.argumentRules) !== JSON.stringify(argumentRules)) return false;
      return same?.tool === tool || JSON.stringify(same?.tool) === JSON.stringify(tool);
    })
  );
}
