import type { Schema } from "@cfworker/json-schema";

/** Reading a value took more steps than it was given. */
export class StepLimitError extends Error {
  constructor() {
    super("reading the value takes too many steps");
    this.name = "StepLimitError";
  }
}

/**
 * A JSON value that reads as it is and throws a `StepLimitError` when its members were read or listed `limit` times in all.
 * Whoever reads it does bounded work without knowing: a recursive schema with several branches that fit takes time
 * exponential in the depth of the value.
 */
export function metered(value: unknown, limit: number): unknown {
  let steps = 0;
  const spend = (count: number) => {
    steps += count;
    if (steps > limit) throw new StepLimitError();
  };
  const meter = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null) return value;
    return new Proxy(value, {
      get(target, name) {
        spend(1);
        return meter(Reflect.get(target, name));
      },
      ownKeys(target) {
        const names = Reflect.ownKeys(target);
        // Going through them looks each of them up again.
        spend(names.length * 4);
        return names;
      },
    });
  };
  return meter(value);
}

/** How many values a JSON value has, those inside others included. Deep input uses no stack. */
export function nodeCount(value: unknown): number {
  let count = 0;
  for (let level = [value]; level.length > 0; ) {
    count += level.length;
    level = level.flatMap((entry) => (typeof entry === "object" && entry !== null ? Object.values(entry) : []));
  }
  return count;
}

/** How often schemas may be used from now on, all together. */
export interface Uses {
  left: number;
}

/**
 * Makes schemas that throw a `StepLimitError` when they are used more often than `uses` says. A string has no members that
 * reading could be counted of (`metered`), and schemas of which each refers to the next twice take time exponential
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
