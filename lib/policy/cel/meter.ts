/** Evaluation took more steps than it was given. */
export class StepLimitError extends Error {
  constructor() {
    super("the evaluation takes too many steps");
    this.name = "StepLimitError";
  }
}

/** Counts what one evaluation reads, so that an agent's arguments cannot make it long. */
export interface Meter {
  /** @throws StepLimitError */
  spend(steps: number): void;
  /** The value as it is; reading it spends. What is not a JSON value stays out of the count. */
  readonly metered: (value: unknown) => unknown;
  isSpent(): boolean;
}

/** Characters that are as good as one member: built-in functions run through a string that fast. */
const CHARACTERS_A_STEP = 64;

/** @param limit members that may be read or listed, again and again ones included */
export function createMeter(limit: number): Meter {
  let left = limit;
  // What is read through two of them would count twice.
  const made = new WeakSet<object>();
  const spend = (steps: number) => {
    left -= steps;
    if (left < 0) throw new StepLimitError();
  };
  const metered = (value: unknown): unknown => {
    if (typeof value === "string") spend(value.length / CHARACTERS_A_STEP);
    if (!isPlain(value) || made.has(value)) return value;
    const proxy = new Proxy(value, {
      get(target, name) {
        spend(1);
        return metered(Reflect.get(target, name));
      },
      ownKeys(target) {
        const names = Reflect.ownKeys(target);
        spend(names.length);
        return names;
      },
    });
    made.add(proxy);
    return proxy;
  };
  return { spend, metered, isSpent: () => left < 0 };
}

function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype;
}
