import { inboundScopes } from "../../../../lib/config/tool-names.ts";
import { DEFAULT_HITS, MAX_HITS } from "../../../../lib/gateway/search/meta-tools.ts";
import type { CatalogTool } from "../../../../lib/openapi/catalog.ts";
import { summaryOf } from "../../../../lib/openapi/summary.ts";
import { createFindTools } from "../../../../lib/search/find-tools.ts";
import {
  type CatalogCounts,
  catalogCounts,
  counted,
  type LeftOutRow,
  leftOutOf,
  reasonText,
} from "../catalog-summary.ts";
import { offerOf, offerText, type ToolOffer } from "./offer.ts";
import { table } from "./table.ts";
import type { ToolApp, ToolSource } from "./tool-apps.ts";
import { serversTable, type ToolServer } from "./tool-servers.ts";

/** What `countersign tools -json` prints. */
export interface Listing {
  /** In the order of the documents, or as a search ranks them; absent with `-leftOut`. */
  readonly tools?: readonly ToolRow[];
  /** With `-search`: how many tools it finds; `tools` has the first of them. */
  readonly found?: number;
  /** Absent with `-search`. */
  readonly leftOut?: readonly LeftOutRow[];
  /** Of the chosen apps; absent with `-search` and `-leftOut`, and where there are none. */
  readonly servers?: readonly ToolServer[];
  /** Of the chosen apps, whatever is shown of them. */
  readonly counts: CatalogCounts;
  /** Of the whole gateway. */
  readonly offer: ToolOffer;
}

export interface ListingOptions {
  readonly search: string | undefined;
  readonly onlyLeftOut: boolean;
}

export function listing(
  source: ToolSource,
  { apps, servers }: Pick<ToolSource, "apps" | "servers">,
  { search, onlyLeftOut }: ListingOptions,
): Listing {
  const hits = onlyLeftOut ? [] : found(source, apps, search);
  return {
    ...(!onlyLeftOut && { tools: shown(hits, search).map(({ app, tool }) => toolRow(app, tool)) }),
    ...(search !== undefined && { found: hits.length }),
    ...(search === undefined && { leftOut: apps.flatMap(({ name, catalog }) => leftOutOf(name, catalog)) }),
    ...(search === undefined && !onlyLeftOut && servers.length > 0 && { servers }),
    counts: catalogCounts(apps.map(({ catalog }) => catalog)),
    offer: offerOf(source),
  };
}

/** Of a search as many as an agent can have. */
function shown(hits: readonly Found[], search: string | undefined): readonly Found[] {
  return search === undefined ? hits : hits.slice(0, MAX_HITS);
}

interface Found {
  readonly app: ToolApp;
  readonly tool: CatalogTool;
}

/** All in their order, or those that a search finds among the tools of all apps, ranked as for an agent that may see them. */
function found(source: ToolSource, apps: readonly ToolApp[], search: string | undefined): readonly Found[] {
  const chosen = toolsOf(apps);
  if (search === undefined) return chosen;
  const byName = new Map(chosen.map((one) => [one.tool.name, one]));
  const find = createFindTools(toolsOf(source.apps));
  return find(search).flatMap((name) => byName.get(name) ?? []);
}

function toolsOf(apps: readonly ToolApp[]): readonly Found[] {
  return apps.flatMap((app) => app.catalog.tools.map((tool) => ({ app, tool })));
}

/** The same for people: tables, and a last line of counts. */
export function listingText(source: ToolSource, result: Listing, columns?: number): string {
  const { tools, leftOut, servers, found, counts, offer } = result;
  const { header, cells } = toolColumns(source);
  const reasons = (leftOut ?? []).map((row) => [row.operation, row.app, reasonText(row)]);
  const tables = [
    ...(tools !== undefined && tools.length > 0 ? [table(header, tools.map(cells), columns)] : []),
    ...(servers === undefined ? [] : [serversTable(servers, columns)]),
    ...(reasons.length > 0 ? [table(["LEFT OUT", "APP", "REASON"], reasons, columns)] : []),
  ];
  return [...tables, `${found === undefined ? countsText(counts, offer) : foundText(found, counts)}\n`].join("\n");
}

function foundText(found: number, { tools }: CatalogCounts): string {
  const what = `${found.toLocaleString("en-US")} of ${counted(tools, "tool")} found`;
  return found > DEFAULT_HITS ? `${what}; agents get ${DEFAULT_HITS} unless they ask for up to ${MAX_HITS}` : what;
}

function countsText({ tools, leftOut, excluded }: CatalogCounts, offer: ToolOffer): string {
  const chosen = excluded === 0 ? "" : `, ${counted(excluded, "operation")} excluded`;
  return `${counted(tools, "tool")}, ${counted(leftOut, "operation")} left out${chosen}; ${offerText(offer)}`;
}

/** A tool in the list, as `-json` prints it. */
interface ToolRow extends Pick<CatalogTool, "name" | "localName" | "method" | "path" | "tags"> {
  readonly app: string;
  /** Without one the beginning of the description. */
  readonly title?: string;
  /** Inbound scopes; null where the configuration has a placeholder. */
  readonly scopes: readonly (string | null)[];
  /** The app has entries for scopes, and none names the tool: nobody may call it. */
  readonly denied?: true;
}

function toolRow({ name: app, document }: ToolApp, tool: CatalogTool): ToolRow {
  const { name, localName, method, path, tags } = tool;
  const title = summaryOf(tool);
  const scopes = inboundScopes(document, tool.localName);
  return {
    name,
    localName,
    app,
    method,
    path,
    ...(title !== "" && { title }),
    ...(tags !== undefined && { tags }),
    scopes: scopes ?? [],
    ...(scopes === undefined && { denied: true }),
  };
}

/** Columns of the table: of a document alone there are no scopes, and one app. */
function toolColumns({ isConfiguration }: ToolSource): {
  readonly header: readonly string[];
  readonly cells: (row: ToolRow) => readonly string[];
} {
  if (!isConfiguration) {
    const cells = ({ name, method, path, title = "" }: ToolRow) => [name, `${method} ${path}`, title];
    return { header: ["NAME", "REQUEST", "TITLE"], cells };
  }
  const cells = ({ name, app, method, path, scopes, denied }: ToolRow) => [
    name,
    app,
    `${method} ${path}`,
    denied ? DENIED : scopesText(scopes),
  ];
  return { header: ["NAME", "APP", "REQUEST", "SCOPES"], cells };
}

const DENIED = "(denied: no entry names it)";

function scopesText(scopes: readonly (string | null)[]): string {
  return scopes.length === 0 ? "-" : scopes.map((scope) => scope ?? "(filled at start)").join(" ");
}
