import type { ConfigurationArtifact } from "../../../lib/config/artifact.ts";

export interface LeftOutRow {
  /** `METHOD /path`. */
  readonly operation: string;
  readonly app: string;
  readonly reason: string;
  /** What the reason is about, for example a media type. */
  readonly detail?: string;
}

/** `7 tools, 2 operations left out`; undefined where no app has a catalog. */
export function countTools({ catalogs }: ConfigurationArtifact): string | undefined {
  const all = Object.values(catalogs);
  if (all.length === 0) return undefined;
  const tools = all.reduce((count, catalog) => count + catalog.tools.length, 0);
  const leftOut = all.reduce((count, catalog) => count + catalog.leftOut.length, 0);
  return leftOut === 0
    ? counted(tools, "tool")
    : `${counted(tools, "tool")}, ${counted(leftOut, "operation")} left out`;
}

/** The operations of all apps that are no tools. */
export function leftOutRows({ catalogs }: ConfigurationArtifact): readonly LeftOutRow[] {
  return Object.entries(catalogs).flatMap(([app, { leftOut }]) => leftOut.map((operation) => ({ ...operation, app })));
}

export function reasonText({ reason, detail }: LeftOutRow): string {
  return detail === undefined ? reason : `${reason}: ${detail}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}
