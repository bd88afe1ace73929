import { Button, useComputedColorScheme } from "@mantine/core";
import { lazy, Suspense, useMemo, useState } from "react";
import type { Period } from "../../../lib/management/schemas/overview.ts";
import { Panel } from "../../parts/panel.tsx";
import { type ChartSeries, dataOf, totalOf } from "./chart-data.ts";
import { NumbersTable } from "./numbers-table.tsx";
import classes from "./period-chart.module.css";
import { textsOf } from "./ranges.ts";

const ChartCanvas = lazy(() => import("./chart-canvas.tsx"));

export interface PeriodChartProps {
  readonly title: string;
  readonly period: Period;
  readonly series: readonly ChartSeries[];
}

/** A panel with stacked bars. The picture is for the eye and the pointer; the same numbers are in a table, which everybody can see. */
export function PeriodChart({ title, period, series }: PeriodChartProps) {
  const scheme = useComputedColorScheme("light");
  const [isTable, setIsTable] = useState(false);
  const [pointed, setPointed] = useState<number>();
  const data = useMemo(() => dataOf(period, series), [period, series]);
  const { words, interval } = textsOf(period.range);
  const start = pointed === undefined ? undefined : data.starts[pointed];
  return (
    <Panel
      title={title}
      actions={
        <Button variant="subtle" size="compact-xs" aria-expanded={isTable} onClick={() => setIsTable(!isTable)}>
          {isTable ? "Show as chart" : "Show as table"}
        </Button>
      }
    >
      <figure className={classes.figure}>
        {!isTable && (
          <div aria-hidden="true">
            <div className={classes.legend}>
              {data.series.map(({ name, tone, values }) => (
                <span key={name} className={classes.key} data-tone={tone}>
                  {`${name} ${(pointed === undefined ? totalOf(values) : (values[pointed] ?? 0)).toLocaleString()}`}
                </span>
              ))}
              <span className={classes.at}>
                {start === undefined ? `each bar is ${interval}` : data.clockOf(start)}
              </span>
            </div>
            <Suspense fallback={<div className={classes.room} role="status" aria-label="Loading the chart" />}>
              <ChartCanvas key={scheme} data={data} onPoint={setPointed} />
            </Suspense>
          </div>
        )}
        <NumbersTable
          isHidden={!isTable}
          caption={`${title} ${words}, each row is ${interval}`}
          columns={data.series}
          starts={data.starts}
          clockOf={data.clockOf}
        />
      </figure>
    </Panel>
  );
}
