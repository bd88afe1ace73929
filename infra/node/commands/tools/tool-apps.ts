import type { ConfigurationArtifact } from "../../../../lib/config/artifact.ts";
import { valueAt } from "../../../../lib/config/path.ts";
import type { Catalog } from "../../../../lib/openapi/catalog.ts";
import { type ToolServer, toolServer } from "./tool-servers.ts";

/** What `countersign tools` looks at. */
export interface ToolSource {
  readonly apps: readonly ToolApp[];
  readonly servers: readonly ToolServer[];
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
  const all = (Array.isArray(listed) ? listed : []).flatMap((app) => {
    const [name, type] = [valueAt(app, ["name"]), valueAt(app, ["type"])];
    return typeof name === "string" ? [{ name, type, document: app }] : [];
  });
  const bridges = all.filter(({ type }) => type === "mcpBridge");
  const proxies = all.filter(({ type }) => type === "mcpProxy");
  return {
    apps: bridges.flatMap(({ name, document }) => {
      const catalog = Object.hasOwn(catalogs, name) ? catalogs[name] : undefined;
      return catalog === undefined ? [] : [{ name, document, catalog }];
    }),
    servers: proxies.map(({ name, document }) => toolServer(name, document)),
    mcpProvider: valueAt(document, ["mcpProvider"]),
    isConfiguration: true,
  };
}
