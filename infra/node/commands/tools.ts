import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import { inboundScopes } from "../../../lib/config/inbound-scopes.ts";
import { valueAt } from "../../../lib/config/path.ts";
import { configurationFile } from "../configuration-file.ts";
import { parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { leftOutRows, reasonText } from "./catalog-summary.ts";

interface ToolRow {
  readonly name: string;
  readonly app: string;
  readonly method: string;
  readonly path: string;
  /** Inbound scopes; null where the configuration has a placeholder. */
  readonly scopes: readonly (string | null)[];
}

/** `countersign tools -config FILE [-json]`: the catalog, and which operations were left out and why. */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const { config, json } = parseFlags(args, { config: "string", json: "boolean" });
  const artifact = await loadConfiguration(configurationFile(config, io.environment));
  const tools = toolRows(artifact);
  const leftOut = leftOutRows(artifact);
  if (json) {
    io.stdout(`${JSON.stringify({ tools, leftOut })}\n`);
    return 0;
  }
  const rows = tools.map(({ name, app, method, path, scopes }) => [name, app, `${method} ${path}`, scopesText(scopes)]);
  io.stdout(table(["NAME", "APP", "REQUEST", "SCOPES"], rows));
  if (leftOut.length > 0) {
    const reasons = leftOut.map((row) => [row.operation, row.app, reasonText(row)]);
    io.stdout(`\n${table(["LEFT OUT", "APP", "REASON"], reasons)}`);
  }
  return 0;
}

function toolRows({ document, catalogs }: ConfigurationArtifact): readonly ToolRow[] {
  const apps = valueAt(document, ["apps"]);
  return (Array.isArray(apps) ? apps : []).flatMap((app) => {
    const name = valueAt(app, ["name"]);
    const catalog = typeof name === "string" && Object.hasOwn(catalogs, name) ? catalogs[name] : undefined;
    return (catalog?.tools ?? []).map((tool) => ({
      name: tool.name,
      app: String(name),
      method: tool.method,
      path: tool.path,
      scopes: inboundScopes(app, tool.localName),
    }));
  });
}

function scopesText(scopes: readonly (string | null)[]): string {
  return scopes.length === 0 ? "-" : scopes.map((scope) => scope ?? "(filled at start)").join(" ");
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join("  ")
          .trimEnd()}\n`,
    )
    .join("");
}
