import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";
import type { Catalog, LeftOutOperation } from "../../../lib/openapi/catalog.ts";

export interface LeftOutRow {
  /** `METHOD /path`. */
  readonly operation: string;
  /** What policies and rules would call it; absent: a Path Item that cannot be read. */
  readonly localName?: string;
  readonly app: string;
  readonly reason: LeftOutOperation["reason"];
  /** What the reason is about, for example a media type. */
  readonly detail?: string;
}

/** `7 tools, 2 operations left out, 1 operation excluded`; undefined where no app has a catalog. */
export function countTools({ catalogs }: ConfigurationArtifact): string | undefined {
  const all = Object.values(catalogs);
  if (all.length === 0) return undefined;
  const { tools, leftOut, excluded } = catalogCounts(all);
  return [
    counted(tools, "tool"),
    ...(leftOut === 0 ? [] : [`${counted(leftOut, "operation")} left out`]),
    ...(excluded === 0 ? [] : [`${counted(excluded, "operation")} excluded`]),
  ].join(", ");
}

export interface CatalogCounts {
  readonly tools: number;
  /** Operations that cannot be tools. */
  readonly leftOut: number;
  /** Operations that the configuration leaves out (`openapi.include` and `exclude`). */
  readonly excluded: number;
}

export function catalogCounts(catalogs: readonly Catalog[]): CatalogCounts {
  const sum = (count: (catalog: Catalog) => number) => catalogs.reduce((total, catalog) => total + count(catalog), 0);
  return {
    tools: sum(({ tools }) => tools.length),
    leftOut: sum(({ leftOut }) => leftOut.length),
    excluded: sum(({ excluded = 0 }) => excluded),
  };
}

/** The operations of all apps that are no tools. */
export function leftOutRows({ catalogs }: Pick<ConfigurationArtifact, "catalogs">): readonly LeftOutRow[] {
  return Object.entries(catalogs).flatMap(([app, catalog]) => leftOutOf(app, catalog));
}

export function leftOutOf(app: string, { leftOut }: Catalog): readonly LeftOutRow[] {
  return leftOut.map((operation) => ({ ...operation, app }));
}

export function reasonText({ reason, detail }: Pick<LeftOutRow, "reason" | "detail">): string {
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

/** `1 tool`, `1,223 tools`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString("en-US")} ${what}${count === 1 ? "" : "s"}`;
}
