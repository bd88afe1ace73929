import classes from "./bar-chart.module.css";

/** One of the two things that are counted; both have a number for each interval. */
export interface Series {
  readonly name: string;
  readonly counts: readonly number[];
}

export interface BarChartProps {
  readonly label: string;
  readonly good: Series;
  readonly bad: Series;
  /** Beginnings of the intervals, ISO 8601. */
  readonly starts: readonly string[];
}

const WIDTH = 480;
const HEIGHT = 120;
const GAP = 6;

/** Stacked bars. The picture is for the eye; screen readers read the same numbers in a table. */
export function BarChart({ label, good, bad, starts }: BarChartProps) {
  const highest = Math.max(1, ...good.counts.map((count, index) => count + (bad.counts[index] ?? 0)));
  const width = WIDTH / Math.max(1, starts.length);
  const heightOf = (count: number) => (count === 0 ? 0 : Math.max(2, (count / highest) * HEIGHT));
  return (
    <figure className={classes.figure}>
      <Legend good={good} bad={bad} highest={highest} />
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={classes.picture} aria-hidden="true">
        {starts.map((start, index) => {
          const [goodHeight, badHeight] = [heightOf(good.counts[index] ?? 0), heightOf(bad.counts[index] ?? 0)];
          const at = { x: index * width + GAP / 2, width: width - GAP };
          return (
            <g key={start}>
              <rect {...at} y={HEIGHT - 1} height={1} className={classes.ground} />
              <rect {...at} y={HEIGHT - goodHeight} height={goodHeight} className={classes.good} />
              <rect {...at} y={HEIGHT - goodHeight - badHeight} height={badHeight} className={classes.bad} />
            </g>
          );
        })}
      </svg>
      <div className={classes.axis} aria-hidden="true">
        <span>{clock(starts[0])}</span>
        <span>now</span>
      </div>
      <NumbersTable label={label} good={good} bad={bad} starts={starts} />
    </figure>
  );
}

function Legend({ good, bad, highest }: Pick<BarChartProps, "good" | "bad"> & { readonly highest: number }) {
  return (
    <figcaption className={classes.legend} aria-hidden="true">
      <span className={classes.key} data-tone="good">
        {good.name}
      </span>
      <span className={classes.key} data-tone="bad">
        {bad.name}
      </span>
      <span className={classes.highest}>{`most in five minutes: ${highest.toLocaleString()}`}</span>
    </figcaption>
  );
}

function NumbersTable({ label, good, bad, starts }: BarChartProps) {
  return (
    <div className={classes.table}>
      <table>
        <caption>{label}, in five minutes each</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            <th scope="col">{good.name}</th>
            <th scope="col">{bad.name}</th>
          </tr>
        </thead>
        <tbody>
          {starts.map((start, index) => (
            <tr key={start}>
              <th scope="row">{clock(start)}</th>
              <td>{good.counts[index]}</td>
              <td>{bad.counts[index]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function clock(start: string | undefined): string {
  if (start === undefined) return "";
  return new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" }).format(new Date(start));
}
