/** Checks that come out differently through the gateway for the same reason. */
export interface Difference {
  readonly reason: string;
  /** Where; by default on both. */
  readonly runtime?: "node" | "workerd";
  /** `revision/scenario/check`; a `*` at the end stands for any rest. */
  readonly names: readonly string[];
}

/** What is meant to differ between an MCP server and the same one behind the gateway. An entry that no longer does is an error. */
export const DIFFERENCES: readonly Difference[] = [
  {
    reason:
      "streams toward agents have no event ids, so that none is closed for its agent to come back; the gateway itself resumes the upstream's stream (a scenario that is not scored)",
    names: ["2025-11-25/server-sse-polling/*"],
  },
];

/** The entry that a check is listed in. */
export function entryOf(name: string, runtime: string, entries = DIFFERENCES): Difference | undefined {
  return entries.find((entry) => isAbout(entry, runtime) && entry.names.some((pattern) => matches(pattern, name)));
}

/** Names of entries about a runtime that no check of it is any more. */
export function staleNames(differing: readonly string[], runtime: string, entries = DIFFERENCES): readonly string[] {
  const listed = entries.filter((entry) => isAbout(entry, runtime)).flatMap(({ names }) => names);
  return listed.filter((pattern) => !differing.some((name) => matches(pattern, name)));
}

function isAbout(entry: Difference, runtime: string): boolean {
  return entry.runtime === undefined || entry.runtime === runtime;
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
