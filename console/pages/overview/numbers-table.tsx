import classes from "./numbers-table.module.css";

export interface NumbersTableProps {
  /** For screen readers alone. */
  readonly isHidden: boolean;
  readonly caption: string;
  readonly columns: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
  /** Milliseconds. */
  readonly starts: readonly number[];
  readonly clockOf: (start: number) => string;
}

/** The numbers behind a chart, newest first. Intervals of which nothing is known say so. */
export function NumbersTable({ isHidden, caption, columns, starts, clockOf }: NumbersTableProps) {
  return (
    <div className={isHidden ? classes.hidden : classes.shown}>
      <table className={classes.table}>
        <caption className={classes.caption}>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {columns.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {starts
            .map((start, index) => (
              <tr key={start}>
                <th scope="row">{clockOf(start)}</th>
                {columns.map(({ name, values }) => (
                  <td key={name}>{values[index]?.toLocaleString() ?? "not known"}</td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </div>
  );
}
