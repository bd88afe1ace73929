/** Why an entry of a list is not offered. */
export type MalformedReason =
  | "not an object"
  | "nested too deeply"
  | "no usable name"
  | "characters in its name that nobody sees"
  | "characters in its URI that nobody sees"
  | "dot segments in its URI"
  | "no usable URI"
  | "inputSchema is no schema of an object"
  | "a member of the wrong type"
  /** Another one before it has its name, or one that agents would see as the same. */
  | "a name twice";

/** Entries that were left out for one reason, or that are there without one member; for logs and health. */
export interface Malformed<R extends string = MalformedReason> {
  readonly reason: R;
  readonly count: number;
  /** The name or URI of the first that has one, as JSON, cut: an upstream wrote it. */
  readonly example?: string;
}

export interface MalformedCounter<R extends string = MalformedReason> {
  add(reason: R, identifier: unknown): void;
  /** In the order of their first entries. */
  counted(): readonly Malformed<R>[];
}

const EXAMPLE_LENGTH = 100;

export function createMalformedCounter<R extends string = MalformedReason>(
  before: readonly Malformed<R>[] = [],
): MalformedCounter<R> {
  const byReason = new Map(before.map((malformed) => [malformed.reason, malformed]));
  return {
    add: (reason, identifier) => {
      const known = byReason.get(reason);
      const example = known?.example ?? exampleOf(identifier);
      byReason.set(reason, { reason, count: (known?.count ?? 0) + 1, ...(example !== undefined && { example }) });
    },
    counted: () => [...byReason.values()],
  };
}

function exampleOf(identifier: unknown): string | undefined {
  return typeof identifier === "string" ? JSON.stringify(identifier.slice(0, EXAMPLE_LENGTH)) : undefined;
}
