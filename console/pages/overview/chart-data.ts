import type { Period } from "../../../lib/management/schemas/overview.ts";
import { clockOf } from "./ranges.ts";

export interface ChartSeries {
  readonly name: string;
  readonly tone: "good" | "denied" | "bad";
  /** By interval; undefined: nothing is known of it. */
  readonly values: readonly (number | undefined)[];
}

/** What is drawn. */
export interface ChartData {
  /** Milliseconds. */
  readonly from: number;
  readonly interval: number;
  readonly starts: readonly number[];
  /** From the bottom to the top, each with the variable that has its colour. */
  readonly series: readonly (ChartSeries & { readonly colour: string })[];
  readonly clockOf: (time: number) => string;
}

const COLOURS = { good: "--cs-accent", denied: "--cs-chart-denied", bad: "--cs-chart-bad" } as const;

export function dataOf({ from, to, interval, range }: Period, series: readonly ChartSeries[]): ChartData {
  const [first, length] = [Date.parse(from), interval * 1000];
  const count = Math.round((Date.parse(to) - first) / length);
  return {
    ...{ from: first, interval: length, clockOf: clockOf(range) },
    starts: Array.from({ length: count }, (_, index) => first + index * length),
    series: series.map((each) => ({ ...each, colour: COLOURS[each.tone] })),
  };
}

export function totalOf(values: ChartSeries["values"]): number {
  return values.reduce<number>((sum, value = 0) => sum + value, 0);
}
