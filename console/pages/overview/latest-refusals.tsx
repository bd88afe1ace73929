import { Link } from "wouter";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { CheckIcon } from "../../icons.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";

/** What was refused last: tokens, calls, sign-ins. */
export function LatestRefusals({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <Panel title="Latest refusals" actions={<Link href="/audit">Audit log</Link>} flush>
      {events.length === 0 ? (
        <EmptyState icon={<CheckIcon size={20} />} title="Nothing was refused">
          Denied tool calls of your organization appear here, and refused token requests that one of its keys signed.
        </EmptyState>
      ) : (
        <DataTable label="Latest refusals" columns={COLUMNS} rows={events} keyOf={({ id }) => id} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  { id: "type", header: "What", isName: true, cell: ({ type }) => <code>{type}</code> },
  { id: "who", header: "Who", cell: (event) => <ForeignText text={event.agent ?? event.actor ?? "–"} /> },
  { id: "tool", header: "Tool", cell: ({ tool }) => <ForeignText text={tool ?? "–"} /> },
  { id: "reason", header: "Reason", cell: ({ reason }) => reason ?? "–" },
  { id: "time", header: "When", width: "9rem", cell: ({ time }) => <Time value={time} format="relative" /> },
];
