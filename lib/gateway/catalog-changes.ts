import type { McpBridgeAppConfiguration } from "../config/app-configuration.ts";
import type { CatalogTool } from "../openapi/catalog.ts";

/** Counts how often the tools that agents see have changed; streams that are open look at it now and then. */
export interface CatalogChanges {
  count(): number;
  /**
   * Takes note of the REST APIs whose tools are served from now on.
   *
   * @param above how many make agents search instead of seeing them; absent: none do
   */
  serve(apps: readonly McpBridgeAppConfiguration[], above?: number): void;
  /** Takes note of something else that changes lists, as an owner's decision does. */
  note(): void;
}

export function createCatalogChanges(): CatalogChanges {
  let served: { readonly apps: readonly McpBridgeAppConfiguration[]; readonly above: number | undefined } | undefined;
  let changes = 0;
  return {
    count: () => changes,
    note: () => {
      changes += 1;
    },
    serve: (apps, above) => {
      const isSame = served === undefined || (served.above === above && isSameList(served.apps, apps));
      if (!isSame) changes += 1;
      served = { apps, above };
    },
  };
}

/** Whether lists show the same: tools, and what rules leave of their schemas. Catalogs mostly stay the objects that they were. */
function isSameList(one: readonly McpBridgeAppConfiguration[], other: readonly McpBridgeAppConfiguration[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ catalog, rules }, index) => {
      const same = other[index];
      if (JSON.stringify(same?.rules) !== JSON.stringify(rules)) return false;
      return same?.catalog === catalog || hasSameTools(same?.catalog.tools ?? [], catalog.tools);
    })
  );
}

/** One by one, as the first that differs is mostly among the first. */
function hasSameTools(one: readonly CatalogTool[], other: readonly CatalogTool[]): boolean {
  return (
    one.length === other.length && one.every((tool, index) => JSON.stringify(tool) === JSON.stringify(other[index]))
  );
}
