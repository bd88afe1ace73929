import type { Limiter } from "../../../lib/limits/limiter.ts";

/** What an instance is asked for over HTTP or between processes: one of each of the limits, at the same time. */
export interface Round {
  /** Names of limits. */
  readonly names: readonly string[];
  readonly exact: readonly string[];
}

const QUOTA = { quota: 1_000, period: 86_400_000, burst: 1_000, calendar: "day", unavailable: "deny" } as const;

/** Which of the limits let one through. */
export async function takeRound(limiter: Limiter, { names, exact }: Round): Promise<readonly string[]> {
  const verdicts = await Promise.all(
    names.map((name) =>
      limiter.take([{ terms: { ...QUOTA, name, exact: exact.includes(name) }, key: "all", amount: 1 }]),
    ),
  );
  return names.filter((_, index) => verdicts[index]?.outcome === "granted");
}
