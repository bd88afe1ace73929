import { compileCatalogs } from "../../../../lib/config/catalogs.ts";
import { setValueAt, valueAt } from "../../../../lib/config/path.ts";
import { readConfiguration } from "../../configuration-document.ts";
import { documentReader } from "../../files/read-document.ts";
import { UsageError } from "../../usage-error.ts";
import { findTool } from "./choose.ts";
import type { ToolApp } from "./tool-apps.ts";

const KEYS = ["include", "exclude"] as const;

/**
 * Says that a tool is none because the configuration excludes its operation; undefined where that is not why. The document
 * is compiled once more without these keys: catalogs do not have what is excluded.
 */
export async function excludedTool(
  file: string,
  apps: readonly ToolApp[],
  name: string,
): Promise<UsageError | undefined> {
  const curated = apps.filter(({ catalog }) => (catalog.excluded ?? 0) > 0);
  if (curated.length === 0) return undefined;
  const { yaml, folder } = await readConfiguration(file);
  const { document } = yaml;
  const listed = valueAt(document, ["apps"]);
  const whole = (Array.isArray(listed) ? listed : []).filter((app) =>
    curated.some((one) => one.name === valueAt(app, ["name"])),
  );
  for (const app of whole) for (const key of KEYS) setValueAt(app, ["openapi", key], undefined);
  const { catalogs } = await compileCatalogs({ apps: whole }, { file, readDocument: documentReader(folder) });
  const complete = curated.flatMap((app) => {
    const catalog = Object.hasOwn(catalogs, app.name) ? catalogs[app.name] : undefined;
    return catalog === undefined ? [] : [{ ...app, catalog }];
  });
  const found = findTool(complete, name);
  if (found === undefined) return undefined;
  const { app, tool } = found;
  const keys = KEYS.filter((key) => valueAt(app.document, ["openapi", key]) !== undefined);
  const by = `openapi.${keys.join(" and openapi.")}`;
  return new UsageError(
    `There is no tool ${name}: ${tool.method} ${tool.path} is excluded by ${by} of the app ${app.name}.`,
  );
}
