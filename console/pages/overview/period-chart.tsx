import { Button, useComputedColorScheme } from "@mantine/core";
import { Component, lazy, type ReactNode, Suspense, useMemo, useState } from "react";
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

/** A panel with stacked bars. The picture is for the eye and the pointer; the same numbers are in a table, which everybody can see, and which is there alone when the picture cannot be loaded or drawn. */
export function PeriodChart({ title, period, series }: PeriodChartProps) {
  const scheme = useComputedColorScheme("light");
  const [wantsTable, setWantsTable] = useState(false);
  const [hasFailed, setHasFailed] = useState(false);
  const [pointed, setPointed] = useState<number>();
  const data = useMemo(() => dataOf(period, series), [period, series]);
  const { words, interval } = textsOf(period.range);
  const isTable = wantsTable || hasFailed;
  const start = pointed === undefined ? undefined : data.starts[pointed];
  return (
    <Panel
      title={title}
      actions={
        hasFailed ? undefined : (
          <Button variant="subtle" size="compact-xs" aria-expanded={isTable} onClick={() => setWantsTable(!isTable)}>
            {isTable ? "Show as chart" : "Show as table"}
          </Button>
        )
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
            <MayFail onFail={() => setHasFailed(true)}>
              <Suspense fallback={<div className={classes.room} role="status" aria-label="Loading the chart" />}>
                <ChartCanvas key={scheme} data={data} onPoint={setPointed} />
              </Suspense>
            </MayFail>
          </div>
        )}
        {hasFailed && <p className={classes.failed}>The chart cannot be shown here. These are its numbers.</p>}
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

interface MayFailProps {
  readonly children: ReactNode;
  readonly onFail: () => void;
}

/** Shows nothing in the place of what fails, and the page goes on. */
class MayFail extends Component<MayFailProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { readonly hasFailed: boolean } {
    return { hasFailed: true };
  }

  override componentDidCatch(): void {
    this.props.onFail();
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children;
  }
}
