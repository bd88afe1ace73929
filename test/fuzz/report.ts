import type { FuzzResult } from "./fuzz-runtime.ts";
import type { Failure } from "./lane.ts";

/** The outcomes of one runtime, most frequent first. */
export function describeResult({ name, counts, failures }: FuzzResult): string {
  const lines = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([outcome, count]) => `  ${String(count).padStart(8)}  ${outcome}`);
  const faults = failures.map((failure) => `  ${describeFailure(failure)}`);
  return [`${name}:`, ...lines, ...faults].join("\n");
}

/** What was wrong with one runtime, as it is told. */
export function faultsOf({ name, failures }: FuzzResult): readonly string[] {
  return failures.map((failure) => `${name}: ${describeFailure(failure)}`);
}

function describeFailure({ fault, bytes }: Failure): string {
  const request = bytes.length === 0 ? "" : `\n    smallest request, base64: ${bytes.toString("base64")}`;
  return `WRONG: ${fault}${request}`;
}
