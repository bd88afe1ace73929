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
