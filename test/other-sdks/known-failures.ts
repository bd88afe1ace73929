/** Checks that fail for a reason that is not the gateway's: they fail directly, too. */
export interface KnownFailure {
  readonly reason: string;
  /** `AGENT: APP: CHECK`. */
  readonly names: readonly string[];
}

/** An entry that no longer fails is an error. */
export const KNOWN_FAILURES: readonly KnownFailure[] = [
  {
    reason: "FastMCP 4 asks nothing in this generation: its `Context.elicit` needs a session",
    names: ["Python SDK 2 without: fastmcp4: answers a question", "Go SDK without: fastmcp4: answers a question"],
  },
];

export function knownFailure(name: string): KnownFailure | undefined {
  return KNOWN_FAILURES.find(({ names }) => names.includes(name));
}
