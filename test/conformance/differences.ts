import type { FixtureName } from "./fixtures.ts";

/** Where checks are compared. */
export interface Place {
  readonly runtime: string;
  /** The server behind the gateway. */
  readonly fixture: FixtureName;
}

/** Checks that come out differently through the gateway for the same reason. */
export interface Difference {
  readonly reason: string;
  /** By default both. */
  readonly runtime?: "node" | "workerd";
  readonly fixtures: readonly FixtureName[];
  /** `revision/scenario/check`; a `*` at the end stands for any rest. */
  readonly names: readonly string[];
}

/** What is meant to differ between an MCP server and the same one behind the gateway. An entry that no longer does is an error. */
export const DIFFERENCES: readonly Difference[] = [
  {
    reason:
      "the server closes the stream for its client to come back. The gateway comes back, and as nothing was told before the answer, its agent gets JSON: there is no stream to judge (a scenario that is not scored)",
    fixtures: ["own", "typescript"],
    names: ["2025-11-25/server-sse-polling/*"],
  },
  {
    reason:
      "without an event store the Go SDK closes the stream for good: nobody can come back for the answer. Directly a client sees a stream that ends without it, through the gateway an error, which is no stream to judge",
    fixtures: ["go", "go-stateless"],
    names: [
      "2025-11-25/server-sse-polling/server-sse-priming-event",
      "2025-11-25/server-sse-polling/server-sse-retry-field",
    ],
  },
  {
    reason:
      "the server answers `tools/list` with an event stream, the gateway its own list with JSON; clients take both, and of JSON the suite only takes note",
    fixtures: ["typescript", "go"],
    names: ["2025-11-25/server-sse-multiple-streams/server-sse-streams-functional"],
  },
  {
    reason: "the same of the revision without sessions",
    fixtures: ["go-stateless"],
    names: ["2026-07-28/server-sse-multiple-streams/server-sse-streams-functional"],
  },
  {
    reason: "the server keeps no sessions, the gateway does: whatever is about them can be judged, and is well",
    fixtures: ["go-stateless"],
    names: [
      "2025-11-25/server-initialize/server-session-id-visible-ascii",
      "2025-11-25/server-session-lifecycle/*",
      "2025-11-25/server-sse-multiple-streams/server-accepts-multiple-post-streams",
      "2025-11-25/server-sse-multiple-streams/server-sse-multiple-streams-session",
      "2025-11-25/server-sse-polling/server-sse-polling-session",
    ],
  },
];

/** The entry that a check is listed in. */
export function entryOf(name: string, place: Place, entries = DIFFERENCES): Difference | undefined {
  return entries.find((entry) => isAbout(entry, place) && entry.names.some((pattern) => matches(pattern, name)));
}

/** Names of entries about a place that no check of it is any more. */
export function staleNames(differing: readonly string[], place: Place, entries = DIFFERENCES): readonly string[] {
  const listed = entries.filter((entry) => isAbout(entry, place)).flatMap(({ names }) => names);
  return listed.filter((pattern) => !differing.some((name) => matches(pattern, name)));
}

function isAbout(entry: Difference, { runtime, fixture }: Place): boolean {
  return (entry.runtime === undefined || entry.runtime === runtime) && entry.fixtures.includes(fixture);
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
