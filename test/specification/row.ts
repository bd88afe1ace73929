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
}
