import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The files that take longest, longest first, so that none of them is left for the end, where it runs alone. A clone knows
 * no durations of earlier runs, and the longest files are short ones that run the suites of others.
 */
const LONGEST = [
  ...partsOn("workerd", "edge."),
  ...partsOn("node-workers", "slow."),
  ...partsOn("node"),
  ...partsOn("lambda", "edge."),
  "test/contract/durable-objects.edge.test.ts",
  "test/contract/dynamodb.edge.test.ts",
  "test/contract/sqlite.test.ts",
  "test/security/10-canaries.test.ts",
  "test/quickstart/quickstart.test.ts",
  "test/runtimes/smoke.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.sort((one, other) => rankOf(one) - rankOf(other));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = LONGEST.findIndex((path) => moduleId.endsWith(path));
  return rank === -1 ? LONGEST.length : rank;
}

/** The files of one runtime in `test/runtimes/`, longest first. */
function partsOn(runtime: string, step = ""): readonly string[] {
  return ["gateway", "mcp", "tokens", "people"].map((part) => `test/runtimes/${runtime}.${part}.${step}test.ts`);
}
