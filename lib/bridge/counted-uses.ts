import type { Schema } from "@cfworker/json-schema";
import { StepLimitError } from "./metered.ts";

/** How often schemas may be used from now on, all together. */
export interface Uses {
  left: number;
}

/**
 * Makes schemas that throw a `StepLimitError` when they are used more often than `uses` says. A string has no members that
 * reading could be counted of (`metered.ts`), and schemas of which each refers to the next twice take time exponential
 * in their number for any value.
 */
export function countUses(schemas: readonly (Schema | boolean)[], uses: Uses): void {
  const get = () => {
    uses.left--;
    if (uses.left < 0) throw new StepLimitError();
  };
  for (const schema of schemas) {
    if (typeof schema === "object") Object.defineProperty(schema, READ_WITH_EACH_USE, { get });
  }
}

/** The validator reads this keyword of another draft once whenever it uses a schema. */
const READ_WITH_EACH_USE = "$recursiveAnchor";
