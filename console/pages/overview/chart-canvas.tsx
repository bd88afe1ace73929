import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ChartData } from "./chart-data.ts";

const HEIGHT = 168;
/** Whole numbers alone. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();

export interface ChartCanvasProps {
  readonly data: ChartData;
  /** The interval below the pointer; none: the pointer left. */
  readonly onPoint: (index: number | undefined) => void;
}

/** Stacked bars on a canvas, for the eye alone, in the colours of the page when it is made. A chunk of its own: the library weighs more than the rest of the page. */
export default function ChartCanvas({ data, onPoint }: ChartCanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const chart = new uPlot(optionsOf(data, element, onPoint), stacked(data), element);
    const watching = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    watching.observe(element);
    return () => {
      watching.disconnect();
      chart.destroy();
    };
  }, [data, onPoint]);
  return <div ref={place} style={{ height: HEIGHT }} />;
}

function optionsOf(data: ChartData, element: HTMLElement, onPoint: ChartCanvasProps["onPoint"]): uPlot.Options {
  const { from, interval, starts, series, clockOf } = data;
  const colours = getComputedStyle(element);
  const colour = (name: string) => colours.getPropertyValue(name).trim();
  const { bars } = uPlot.paths;
  const axis = {
    ...{ stroke: colour("--cs-text-soft"), font: `11px ${colours.fontFamily}`, ticks: { show: false } },
    grid: { stroke: colour("--cs-line"), width: 1 },
  };
  const indexAt = (seconds: number) => Math.floor((seconds * 1000 - from) / interval);
  return {
    ...{ width: element.clientWidth, height: HEIGHT, legend: { show: false }, padding: [8, 20, 0, 0] },
    cursor: {
      ...{ y: false, points: { show: false }, drag: { x: false, y: false } },
      dataIdx: (_chart, _series, _nearest, seconds) => Math.min(Math.max(indexAt(seconds), 0), starts.length - 1),
    },
    scales: {
      x: { time: true, range: [from / 1000, (from + starts.length * interval) / 1000] },
      y: { range: (_chart, _least, most) => [0, Math.max(1, most * 1.05)] },
    },
    axes: [
      {
        ...{ ...axis, grid: { show: false }, size: 26, space: 72 },
        values: (_chart, ticks) => ticks.map((seconds) => clockOf(seconds * 1000)),
      },
      {
        ...axis,
        size: 48,
        space: 32,
        incrs: STEPS,
        values: (_chart, ticks) => ticks.map((tick) => short.format(tick)),
      },
    ],
    series: [
      {},
      ...series.toReversed().map(({ name, colour: variable }) => ({
        ...{ label: name, fill: colour(variable), stroke: colour("--cs-surface"), width: 1, points: { show: false } },
        ...(bars !== undefined && { paths: bars({ size: [0.8, 48], align: 1 }) }),
      })),
    ],
    hooks: {
      setCursor: [
        ({ cursor }) => onPoint(cursor.left === undefined || cursor.left < 0 ? undefined : (cursor.idx ?? undefined)),
      ],
    },
  };
}

const short = new Intl.NumberFormat(undefined, { notation: "compact" });

/** The highest bars are drawn first, and lower ones over them. Nothing is drawn where there is none. */
function stacked({ starts, series }: ChartData): uPlot.AlignedData {
  const heights: (number | null)[][] = [];
  for (const { values } of series) {
    const below = heights.at(-1);
    heights.push(starts.map((_, index) => sumOf(values[index], below === undefined ? 0 : below[index])));
  }
  return [
    starts.map((start) => start / 1000),
    ...heights.toReversed().map((row) => row.map((height) => height || null)),
  ];
}

function sumOf(value: number | undefined, below: number | null | undefined): number | null {
  return value === undefined || below === null || below === undefined ? null : value + below;
}
