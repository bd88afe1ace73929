import type { Runtime } from "./results.ts";

/** One statement of the specification that can be true or false of a running product. */
export interface SpecificationRow {
  /** Stable; the section's first word, then what the row is about. */
  readonly id: string;
  /** The statement in our own words. */
  readonly statement: string;
  /** `runtimes`: shown on each of the three. `once`: does not depend on the runtime, or belongs to one of them. */
  readonly shown: "runtimes" | "once";
  /** Parts of full test titles; each has to match at least one test, and every test that matches has to pass. */
  readonly tests: readonly string[];
  /** The same, shown once, beside what is shown on each runtime. */
  readonly also?: readonly string[];
  /** Where the statement does not hold. A row with one is never counted among those that hold. */
  readonly deviations?: Deviations;
}

export type Deviations = Readonly<Partial<Record<Runtime, Deviation>>>;

export interface Deviation {
  /** What is missing there or different, and why. A sentence. */
  readonly because: string;
  /** Parts of titles of tests that show what is there instead, on this runtime or outside of the behaviour suites. */
  readonly tests: readonly string[];
}

/** Deviates alike on the runtimes named. */
export function deviates(runtimes: readonly Runtime[], because: string, tests: readonly string[]): Deviations {
  return Object.fromEntries(runtimes.map((runtime) => [runtime, { because, tests }]));
}
