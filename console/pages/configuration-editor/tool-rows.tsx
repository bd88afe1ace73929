import { TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { LeftOut, ToolFacts } from "../../configuration-check/protocol.ts";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./forms.module.css";

/** Rows that are drawn: a document can have thousands of operations. */
const MOST_ROWS = 100;
/** From this number on there is a field to search with. */
const MANY = 10;

export interface ToolRowsProps<Tool> {
  readonly label: string;
  readonly tools: readonly Tool[];
  /** What a tool is found by, and what it is told apart by. */
  readonly nameOf: (tool: Tool) => string;
  readonly wordsOf: (tool: Tool) => string;
  readonly row: (tool: Tool) => ReactNode;
}

/** A list of tools, with a field to search it where it is long. */
export function ToolRows<Tool>({ label, tools, nameOf, wordsOf, row }: ToolRowsProps<Tool>) {
  const [search, setSearch] = useState("");
  const words = search.trim().toLowerCase();
  const found = tools.filter((tool) => wordsOf(tool).toLowerCase().includes(words));
  const shown = found.slice(0, MOST_ROWS);
  return (
    <div className={classes.rows}>
      {tools.length > MANY && (
        <TextInput
          label="Find a tool"
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
        />
      )}
      <ul className={classes.tools} aria-label={label}>
        {shown.map((tool) => (
          <li key={nameOf(tool)} className={classes.tool}>
            {row(tool)}
          </li>
        ))}
      </ul>
      {found.length > shown.length && (
        <p className={classes.soft}>
          {shown.length} of {found.length.toLocaleString("en-US")} are shown.
        </p>
      )}
    </div>
  );
}

/** What a tool is, below its name. */
export function ToolWords({ tool, operation }: { readonly tool: ToolFacts; readonly operation?: string | undefined }) {
  const { title, description, isReadOnly, isDestructive } = tool;
  const words = title ?? description?.split("\n")[0];
  return (
    <span className={classes.about}>
      {operation !== undefined && (
        <code>
          <ForeignText text={operation} />
        </code>
      )}
      {isReadOnly && <StatusBadge tone="good">Read-only</StatusBadge>}
      {isDestructive && <StatusBadge tone="warn">Destructive</StatusBadge>}
      {words !== undefined && <ForeignText text={words} />}
    </span>
  );
}

/** Operations that cannot be tools, and why. */
export function LeftOutOperations({ leftOut }: { readonly leftOut: readonly LeftOut[] }) {
  if (leftOut.length === 0) return null;
  return (
    <details className={classes.leftOut}>
      <summary>{leftOut.length === 1 ? "1 operation is no tool" : `${leftOut.length} operations are no tools`}</summary>
      <ul>
        {leftOut.slice(0, MOST_ROWS).map(({ operation, reason }) => (
          <li key={operation}>
            <ForeignText text={`${operation}: ${reason}`} />
          </li>
        ))}
      </ul>
    </details>
  );
}
