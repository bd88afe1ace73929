import { useMemo } from "react";
import type { Period } from "../../../lib/management/schemas/overview.ts";
import { Note } from "../../parts/note.tsx";
import { Time } from "../../parts/time.tsx";
import type { ChartSeries } from "./chart-data.ts";
import { PeriodChart } from "./period-chart.tsx";
import classes from "./period-charts.module.css";

/** Two charts, side by side where there is room. */
export function PeriodCharts({ period }: { readonly period: Period }) {
  const { isComplete, countedFrom } = period;
  const calls = useMemo(() => callSeries(period), [period]);
  const tokens = useMemo(() => tokenSeries(period), [period]);
  return (
    <>
      {!isComplete && (
        <Note tone="info">
          Numbers are known since <Time value={countedFrom} />. Earlier ones were not kept.
        </Note>
      )}
      <div className={classes.charts}>
        <PeriodChart title="Tool calls" period={period} series={calls} />
        <PeriodChart title="Token requests" period={period} series={tokens} />
      </div>
    </>
  );
}

function callSeries(period: Period): readonly ChartSeries[] {
  const of = (name: "succeeded" | "denied" | "failed") => valuesOf(period, period.toolCalls, name);
  return [
    { name: "Succeeded", tone: "good", values: of("succeeded") },
    { name: "Denied", tone: "denied", values: of("denied") },
    { name: "Failed", tone: "bad", values: of("failed") },
  ];
}

function tokenSeries(period: Period): readonly ChartSeries[] {
  const of = (name: "issued" | "refused") => valuesOf(period, period.tokenRequests, name);
  return [
    { name: "Issued", tone: "good", values: of("issued") },
    { name: "Refused", tone: "denied", values: of("refused") },
  ];
}

/** The answer leaves out intervals of which nothing is known: the oldest. */
function valuesOf<Name extends string>(
  { from, to, interval }: Period,
  intervals: readonly Readonly<Record<Name, number>>[],
  name: Name,
): readonly (number | undefined)[] {
  const count = Math.round((Date.parse(to) - Date.parse(from)) / (interval * 1000));
  const unknown = Array.from({ length: count - intervals.length }, () => undefined);
  return [...unknown, ...intervals.map((each) => each[name])];
}
