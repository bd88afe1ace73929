import type { CatalogTool } from "../../../../lib/bridge/catalog.ts";
import { summaryOf } from "../../../../lib/bridge/summary.ts";
import { inboundScopes } from "../../../../lib/config/inbound-scopes.ts";
import type { ToolApp, ToolSource } from "./tool-apps.ts";

/** A tool in the list, as `-json` prints it. */
export interface ToolRow extends Pick<CatalogTool, "name" | "localName" | "method" | "path" | "tags"> {
  readonly app: string;
  /** Without one the beginning of the description. */
  readonly title?: string;
  /** Inbound scopes; null where the configuration has a placeholder. */
  readonly scopes: readonly (string | null)[];
}

export function toolRow({ name: app, document }: ToolApp, tool: CatalogTool): ToolRow {
  const { name, localName, method, path, tags } = tool;
  const title = summaryOf(tool);
  return {
    name,
    localName,
    app,
    method,
    path,
    ...(title !== "" && { title }),
    ...(tags !== undefined && { tags }),
    scopes: inboundScopes(document, tool.localName),
  };
}

/** Columns of the table: of a document alone there are no scopes, and one app. */
export function toolColumns({ isConfiguration }: ToolSource): {
  readonly header: readonly string[];
  readonly cells: (row: ToolRow) => readonly string[];
} {
  if (!isConfiguration) {
    const cells = ({ name, method, path, title = "" }: ToolRow) => [name, `${method} ${path}`, title];
    return { header: ["NAME", "REQUEST", "TITLE"], cells };
  }
  const cells = ({ name, app, method, path, scopes }: ToolRow) => [name, app, `${method} ${path}`, scopesText(scopes)];
  return { header: ["NAME", "APP", "REQUEST", "SCOPES"], cells };
}

function scopesText(scopes: readonly (string | null)[]): string {
  return scopes.length === 0 ? "-" : scopes.map((scope) => scope ?? "(filled at start)").join(" ");
}
