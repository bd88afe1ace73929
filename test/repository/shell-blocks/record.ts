import type { ShellBlock } from "../rules/shell-blocks.ts";

export interface Counts {
  readonly passed: number;
  readonly exempt: number;
  readonly failures: readonly string[];
}

/** What became of the blocks; each is printed as it ends. */
export interface BlockRecord {
  passed(block: ShellBlock, seconds: number): void;
  exempt(block: ShellBlock, reason: string): void;
  failed(block: ShellBlock, why: string): void;
  counts(): Counts;
}

export function createRecord(): BlockRecord {
  let passed = 0;
  let exempt = 0;
  const failures: string[] = [];
  return {
    passed: (block, seconds) => {
      passed += 1;
      console.log(`passed  ${nameOf(block)}  (${seconds.toFixed(1)} s)`);
    },
    exempt: (block, reason) => {
      exempt += 1;
      console.log(`exempt  ${nameOf(block)}  ${reason}`);
    },
    failed: (block, why) => {
      const failure = `failed  ${nameOf(block)}\n${why}`;
      failures.push(failure);
      console.log(failure);
    },
    counts: () => ({ passed, exempt, failures }),
  };
}

function nameOf({ path, line }: ShellBlock): string {
  return `${path}:${line}`;
}
