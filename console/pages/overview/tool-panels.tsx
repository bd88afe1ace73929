import { Link } from "wouter";
import type { Period } from "../../../lib/management/schemas/overview.ts";
import { path } from "../../api/request.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { textsOf } from "./ranges.ts";

type Slow = Period["slowestTools"][number];
type Refused = Period["mostRefusedTools"][number];
type Limit = Period["limits"][number];

/** Tools that are slow or refused, and limits that were hit: each only where there is something to tell. */
export function ToolPanels({ period }: { readonly period: Period }) {
  const { slowestTools, mostRefusedTools, limits, range } = period;
  const { words } = textsOf(range);
  return (
    <>
      {slowestTools.length > 0 && (
        <Panel title="Slowest tools" description="How long calls took, the API or MCP server included." flush>
          <DataTable label={`Slowest tools ${words}`} columns={SLOW} rows={slowestTools} keyOf={({ tool }) => tool} />
        </Panel>
      )}
      {mostRefusedTools.length > 0 && (
        <Panel title="Most refused tools" description="Calls that were not made." flush>
          <DataTable
            label={`Most refused tools ${words}`}
            columns={REFUSED}
            rows={mostRefusedTools}
            keyOf={({ tool }) => tool}
          />
        </Panel>
      )}
      {limits.length > 0 && (
        <Panel title="Limits that were hit" description="Limits that refused tool calls." flush>
          <DataTable
            label={`Limits that were hit ${words}`}
            columns={LIMITS}
            rows={limits}
            keyOf={({ limit }) => limit ?? ""}
          />
        </Panel>
      )}
    </>
  );
}

const SLOW: readonly Column<Slow>[] = [
  { id: "tool", header: "Tool", isName: true, cell: ({ tool }) => <ToolLink tool={tool} /> },
  { id: "calls", header: "Calls", width: "4.5rem", align: "end", cell: ({ calls }) => calls.toLocaleString() },
  { id: "average", header: "Average", width: "5.5rem", align: "end", cell: ({ averageMs }) => duration(averageMs) },
  { id: "longest", header: "Longest", width: "5.5rem", align: "end", cell: ({ longestMs }) => duration(longestMs) },
];

const REFUSED: readonly Column<Refused>[] = [
  { id: "tool", header: "Tool", isName: true, cell: ({ tool }) => <ToolLink tool={tool} /> },
  {
    ...{ id: "reasons", header: "Reasons" },
    cell: ({ reasons }) =>
      reasons.map(({ reason, count }) => `${reason} (${count.toLocaleString()})`).join(", ") || "–",
  },
  {
    ...{ id: "denied", header: "Denied", width: "5rem", align: "end" as const },
    cell: ({ tool, denied }) => (
      <Link href={`/audit?${new URLSearchParams({ tool, outcome: "denied" })}`}>{denied.toLocaleString()}</Link>
    ),
  },
];

const LIMITS: readonly Column<Limit>[] = [
  {
    ...{ id: "limit", header: "Limit", isName: true },
    cell: ({ limit }) => (limit === undefined ? "several, counted together" : <ForeignText text={limit} />),
  },
  { id: "count", header: "Calls refused", width: "8rem", align: "end", cell: ({ count }) => count.toLocaleString() },
];

function ToolLink({ tool }: { readonly tool: string }) {
  return (
    <Link href={path`/gateway/tools/${tool}`}>
      <ForeignText text={tool} />
    </Link>
  );
}

function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${milliseconds.toLocaleString()} ms`;
  return `${(milliseconds / 1_000).toLocaleString(undefined, { maximumFractionDigits: 1 })} s`;
}
