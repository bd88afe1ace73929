import type { FuzzResult } from "./fuzz-runtime.ts";

/** The outcomes of one runtime, most frequent first. */
export function describeResult({ name, counts, failures }: FuzzResult): string {
  const lines = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `  ${String(count).padStart(8)}  ${outcome}`);
  const faults = failures.map(({ fault, bytes }) =>
    bytes.length === 0
      ? `  WRONG: ${fault}`
      : `  WRONG: ${fault}\n    smallest request, base64: ${bytes.toString("base64")}`,
  );
  return [`${name}:`, ...lines, ...faults].join("\n");
}
