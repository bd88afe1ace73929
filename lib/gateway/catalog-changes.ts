import type { ToolIndex } from "./tool-index.ts";

/** Counts how often the tools that agents see have changed; streams that are open look at it now and then. */
export interface CatalogChanges {
  count(): number;
  /** Takes note of the tools that are served from now on. */
  serve(tools: ToolIndex): void;
}

export function createCatalogChanges(): CatalogChanges {
  let served: ToolIndex | undefined;
  let changes = 0;
  return {
    count: () => changes,
    serve: (tools) => {
      if (served !== undefined && !isSameCatalog(served, tools)) changes += 1;
      served = tools;
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
