import type { Results } from "./results.ts";

/** A check whose outcomes are not the same through the gateway. */
export interface Differing {
  /** `revision/scenario/check`. */
  readonly name: string;
  /** Statuses in alphabetical order; empty: the check was not come to. */
  readonly directly: readonly string[];
  readonly through: readonly string[];
  /** What the suite says of the outcomes through the gateway. */
  readonly messages: readonly string[];
}

/** Compares check by check. The order in which a scenario comes to the same check several times does not matter. */
export function compare(directly: Results, through: Results): readonly Differing[] {
  const names = new Set([...directly.keys(), ...through.keys()]);
  return [...names].flatMap((name) => {
    const [before, after] = [statuses(directly, name), statuses(through, name)];
    if (before.join() === after.join()) return [];
    const messages = (through.get(name) ?? []).flatMap(({ message }) => message ?? []);
    return [{ name, directly: before, through: after, messages }];
  });
}

export function describe({ name, directly, through, messages }: Differing): string {
  const [before, after] = [directly, through].map((statuses) => statuses.join(", ") || "not come to");
  return [`${name}: directly ${before}; through the gateway ${after}`, ...messages].join("\n    ");
}

function statuses(results: Results, name: string): readonly string[] {
  return (results.get(name) ?? []).map(({ status }) => status).sort();
}
