import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Breakable } from "../gateway/breakable.tsx";
import { rowsOf, type Schema, type SchemaRow } from "./schema.ts";
import classes from "./tool-page.module.css";

export interface SchemaTableProps {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly schema: Schema;
  /** Said where the schema names nothing. */
  readonly empty: string;
}

/** A JSON Schema, a row for each member. */
export function SchemaTable({ label, schema, empty }: SchemaTableProps) {
  const rows = rowsOf(schema);
  if (rows.length === 0) return <p className={classes.alone}>{empty}</p>;
  return <DataTable label={label} columns={COLUMNS} rows={rows} keyOf={({ path }) => path} />;
}

const COLUMNS: readonly Column<SchemaRow>[] = [
  {
    id: "name",
    header: "Name",
    isName: true,
    width: "28%",
    cell: ({ path, isRequired }) => (
      <span className={classes.name}>
        <code>
          <Breakable text={visibleText(path)} />
        </code>
        {isRequired && <StatusBadge tone="neutral">Required</StatusBadge>}
      </span>
    ),
  },
  { id: "type", header: "Type", width: "18%", cell: ({ type }) => <ForeignText text={type} /> },
  {
    id: "what",
    header: "What it is",
    cell: ({ description, limits }) => (
      <div className={classes.what}>
        {description !== undefined && <ForeignText text={description.replace(/\s+/g, " ")} />}
        {limits.length > 0 && (
          <span className={classes.soft}>
            <ForeignText text={limits.join("; ")} />
          </span>
        )}
        {description === undefined && limits.length === 0 && "–"}
      </div>
    ),
  },
];
