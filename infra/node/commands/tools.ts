import { flawTexts } from "../../../lib/config/warnings/documents.ts";
import { configurationFile } from "../configuration-file.ts";
import { type Flags, parseFlags } from "../flags.ts";
import type { CommandIo } from "../io.ts";
import { loadConfiguration } from "../load-configuration.ts";
import { UsageError } from "../usage-error.ts";
import { jsonLine, LISTING_FLAGS, refuseBothForms } from "./listed.ts";
import { SERVER_FLAGS } from "./mcp-client/server-flags.ts";
import { chooseApps, findTool, noTool } from "./tools/choose.ts";
import { excludedTool } from "./tools/excluded.ts";
import { type Listing, listing, listingText } from "./tools/listing.ts";
import { sourceOfDocument } from "./tools/openapi-source.ts";
import { printableLine } from "./tools/table.ts";
import { appsOf, type ToolApp, type ToolSource } from "./tools/tool-apps.ts";
import { toolFacts } from "./tools/tool-facts.ts";
import { toolFactsText } from "./tools/tool-facts-text.ts";
import { maybeOfServer } from "./tools/tool-servers.ts";

const FLAGS = {
  config: "string",
  openapi: "string",
  app: "string",
  search: "string",
  tool: "string",
  leftOut: "boolean",
  ...LISTING_FLAGS,
  ...SERVER_FLAGS,
} as const;

const INSTEAD = "an OpenAPI document with -openapi FILE|URL, or an MCP server with -url URL";

/** Of configurations and documents. */
const NOT_OF_SERVERS = ["config", "openapi", "app", "search", "leftOut"] as const;
/** What is shown is one of these. */
const VIEWS = ["tool", "search", "leftOut"] as const;

/**
 * `countersign tools (-config FILE | -openapi FILE|URL) [-app NAME] [-search TEXT | -tool NAME | -leftOut] [-json]`: the
 * tools of a configuration, or of one OpenAPI document, and which operations were left out and why. Of MCP servers, which list
 * their tools for whoever asks, there is where they are; nobody is asked.
 *
 * `countersign tools -url URL [-tool NAME] [-json]`: the tools that an MCP server has for whoever asks.
 */
export async function run(args: readonly string[], io: CommandIo): Promise<number> {
  const flags = parseFlags(args, FLAGS);
  refuseBothForms(flags);
  const isJson = flags.json || flags.jsonl;
  if (flags.url !== undefined) {
    const other = NOT_OF_SERVERS.find((name) => flags[name] !== undefined);
    if (other !== undefined) throw new UsageError(`-${other} does not go with -url.`);
    return (await import("./mcp-client/server-tools.ts")).showServerTools(flags, io);
  }
  const alone = ["client", "tokenFile", "noBrowser"].find((name) => Object.hasOwn(flags, name));
  if (alone !== undefined) throw new UsageError(`-${alone} goes with -url alone.`);
  const views = VIEWS.filter((view) => flags[view] !== undefined);
  if (views.length > 1) throw new UsageError(`${views.map((view) => `-${view}`).join(" and ")} exclude each other.`);
  const source = await sourceOf(flags, io);
  const chosen = chooseApps(source, flags.openapi ? undefined : flags.app);
  const { apps } = chosen;
  if (flags.tool !== undefined) {
    const { app, tool } = findTool(apps, flags.tool) ?? (await thatThereIsNot(flags.tool, chosen, flags, io));
    const facts = toolFacts(app, tool);
    io.stdout(isJson ? json(facts) : toolFactsText(facts, source.isConfiguration, io.columns));
    return 0;
  }
  if (!source.isConfiguration)
    for (const warning of documentWarnings(apps)) io.stderr(`${printableLine(warning)} (warning)\n`);
  const result: Listing = listing(source, chosen, { search: flags.search, onlyLeftOut: flags.leftOut === true });
  if (flags.jsonl) io.stdout((result.tools ?? result.leftOut ?? []).map(jsonLine).join(""));
  else io.stdout(flags.json ? json(result) : listingText(source, result, io.columns));
  return 0;
}

async function sourceOf({ config, openapi, app }: Flags<typeof FLAGS>, io: CommandIo): Promise<ToolSource> {
  if (openapi && config) throw new UsageError("-config and -openapi exclude each other.");
  if (openapi) return sourceOfDocument(openapi, app);
  return appsOf(await loadConfiguration(configurationFile(config, io.environment, INSTEAD)));
}

/** @throws UsageError that says why the tool is not there */
async function thatThereIsNot(
  name: string,
  { apps, servers }: Pick<ToolSource, "apps" | "servers">,
  { openapi, config }: Flags<typeof FLAGS>,
  { environment }: CommandIo,
): Promise<never> {
  const excluded = openapi ? undefined : await excludedTool(configurationFile(config, environment), apps, name);
  throw excluded ?? (await maybeOfServer(servers, name)) ?? (await noTool(apps, name));
}

/** What `validate` would say about the document in a configuration. */
function documentWarnings(apps: readonly ToolApp[]): readonly string[] {
  return apps.flatMap(({ catalog }) => flawTexts(catalog));
}

function json(value: object): string {
  return `${JSON.stringify(value)}\n`;
}
