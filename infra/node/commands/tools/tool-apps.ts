import type { Catalog } from "../../../../lib/bridge/catalog.ts";
import type { ConfigurationArtifact } from "../../../../lib/config/artifact.ts";
import { reasonsNotServed } from "../../../../lib/config/not-served.ts";
import { valueAt } from "../../../../lib/config/path.ts";

/** What `countersign tools` looks at. */
export interface ToolSource {
  readonly apps: readonly ToolApp[];
  /** Apps of REST APIs that this version does not serve, with the reasons. */
  readonly notServed: readonly { readonly name: string; readonly reasons: readonly string[] }[];
  /** `mcpProvider` of the plain document; absent: the source is one OpenAPI document without a configuration. */
  readonly mcpProvider?: unknown;
  /** Whether there is a configuration, so that scopes mean something. */
  readonly isConfiguration: boolean;
}

export interface ToolApp {
  readonly name: string;
  readonly catalog: Catalog;
  /** The app as it stands in the configuration, with null where a placeholder is. */
  readonly document: unknown;
}

/** The apps with catalogs, in the order of the configuration. */
export function appsOf({ document, catalogs }: ConfigurationArtifact): ToolSource {
  const listed = valueAt(document, ["apps"]);
  const bridges = (Array.isArray(listed) ? listed : []).flatMap((app) => {
    const name = valueAt(app, ["name"]);
    return valueAt(app, ["type"]) === "mcpBridge" && typeof name === "string" ? [{ name, document: app }] : [];
  });
  return {
    apps: bridges.flatMap(({ name, document }) => {
      const catalog = Object.hasOwn(catalogs, name) ? catalogs[name] : undefined;
      return catalog === undefined ? [] : [{ name, document, catalog }];
    }),
    notServed: bridges
      .map(({ name, document }) => ({ name, reasons: reasonsNotServed(document) }))
      .filter(({ reasons }) => reasons.length > 0),
    mcpProvider: valueAt(document, ["mcpProvider"]),
    isConfiguration: true,
  };
}
