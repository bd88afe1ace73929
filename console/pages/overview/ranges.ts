import { useSearchParams } from "wouter";
import type { OverviewRange } from "../../../lib/management/schemas/overview.ts";

interface RangeTexts {
  readonly value: OverviewRange;
  readonly label: string;
  /** "in the last hour". */
  readonly words: string;
  /** What one bar of a chart is. */
  readonly interval: string;
  /** Milliseconds between two looks while somebody watches. */
  readonly refresh: number;
  readonly clock: Intl.DateTimeFormatOptions;
}

const MINUTE = 60_000;
const TIME = { hour: "2-digit", minute: "2-digit" } as const;
const DATE = { month: "short", day: "numeric" } as const;

const RANGES: readonly RangeTexts[] = [
  {
    ...{ value: "1h", label: "1 hour", words: "in the last hour", interval: "5 minutes" },
    ...{ refresh: MINUTE / 4, clock: TIME },
  },
  {
    ...{ value: "24h", label: "24 hours", words: "in the last 24 hours", interval: "an hour" },
    ...{ refresh: MINUTE, clock: TIME },
  },
  {
    ...{ value: "7d", label: "7 days", words: "in the last 7 days", interval: "6 hours" },
    ...{ refresh: 5 * MINUTE, clock: { ...DATE, ...TIME } },
  },
  {
    ...{ value: "30d", label: "30 days", words: "in the last 30 days", interval: "a day (UTC)" },
    ...{ refresh: 5 * MINUTE, clock: { ...DATE, timeZone: "UTC" } },
  },
];

export const RANGE_CHOICES = RANGES.map(({ value, label }) => ({ value, label }));

export function textsOf(range: string): RangeTexts {
  return RANGES.find(({ value }) => value === range) ?? (RANGES[0] as RangeTexts);
}

/** The range in the address, so that it can be linked; the shortest one is not in it. */
export function useRange(): readonly [range: OverviewRange, choose: (range: string) => void] {
  const [parameters, setParameters] = useSearchParams();
  const { value } = textsOf(parameters.get("range") ?? "");
  const choose = (range: string) =>
    setParameters(range === RANGES[0]?.value ? new URLSearchParams() : new URLSearchParams({ range }), {
      replace: true,
    });
  return [value, choose];
}

/** A time as charts and tables of the range name it. */
export function clockOf(range: OverviewRange): (start: string | number) => string {
  const format = new Intl.DateTimeFormat(undefined, textsOf(range).clock);
  return (start) => format.format(new Date(start));
}
