import type { ReactNode } from "react";
import classes from "./data-table.module.css";

export interface Column<Row> {
  readonly id: string;
  readonly header: string;
  /** For screen readers alone, where the eye needs no word: actions. */
  readonly isHeaderHidden?: boolean;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: "end";
  /** Any CSS width; the others share what is left. */
  readonly width?: string;
  /** Names the row: its header cell, and its heading on narrow screens. Exactly one column. */
  readonly isName?: boolean;
}

export interface DataTableProps<Row> {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
}

/**
 * A table whose rows become blocks with labelled values where it is too narrow. A row opens through a link or button in
 * its name cell, never by itself: so it works with a keyboard.
 */
export function DataTable<Row>({ label, columns, rows, keyOf }: DataTableProps<Row>) {
  return (
    <div className={classes.container}>
      <table className={classes.table} {...ROLE.table} aria-label={label}>
        <thead {...ROLE.group}>
          <tr {...ROLE.row}>
            {columns.map(({ id, header, isHeaderHidden, align, width }) => (
              <th key={id} {...ROLE.header} scope="col" data-align={align} style={width ? { width } : undefined}>
                <span className={isHeaderHidden ? classes.hidden : undefined}>{header}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...ROLE.group}>
          {rows.map((row) => (
            <tr key={keyOf(row)} {...ROLE.row}>
              {columns.map((column) => (
                <Cell key={column.id} column={column} row={row} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell<Row>({ column, row }: { readonly column: Column<Row>; readonly row: Row }) {
  const { header, isHeaderHidden, isName, align, cell } = column;
  if (isName) {
    return (
      <th {...ROLE.rowHeader} scope="row" className={classes.name}>
        {cell(row)}
      </th>
    );
  }
  return (
    <td {...ROLE.cell} data-align={align} data-label={isHeaderHidden ? undefined : header}>
      {cell(row)}
    </td>
  );
}

/** Browsers forget what a table is when its parts are laid out as blocks. */
const ROLE = {
  table: { role: "table" },
  group: { role: "rowgroup" },
  row: { role: "row" },
  header: { role: "columnheader" },
  rowHeader: { role: "rowheader" },
  cell: { role: "cell" },
} as const;
