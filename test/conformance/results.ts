import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { type Outcome, runScenarios } from "../mcp-clients/conformance/checks.ts";

/** Both requirement sets of the suite: the last revision with a handshake, and the one without. */
export const REVISIONS = ["2025-11-25", "2026-07-28"] as const;
export type Revision = (typeof REVISIONS)[number];

/** Outcomes by `revision/scenario/check`. A scenario may come to the same check several times. */
export type Results = ReadonlyMap<string, readonly Outcome[]>;

/** Runs all scenarios of a revision. What the suite only takes note of on its way (`INFO`) is no result. */
export async function resultsOf(mcpURL: string, revision: Revision, home: string): Promise<Results> {
  const outcomes = await runScenarios(mcpURL, revision, home);
  const judged = outcomes.filter(({ status }) => status !== "INFO");
  return Map.groupBy(judged, ({ name }) => `${revision}/${name}`);
}

/** The scenarios that count for a revision, as the suite's own file lists them. */
export async function scoredScenarios(revision: Revision): Promise<ReadonlySet<string>> {
  const file = `../mcp-clients/node_modules/@modelcontextprotocol/conformance/requirements/${revision}.yaml`;
  const { server } = parse(await readFile(new URL(file, import.meta.url), "utf8")) as { readonly server: string[] };
  return new Set(server);
}

export function scenarioOf(name: string): string {
  return name.split("/")[1] ?? "";
}
