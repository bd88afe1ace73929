import { Link } from "wouter";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { path } from "../../api/request.ts";
import { CheckIcon } from "../../icons.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, useNames } from "../../parts/use-names.ts";

/** What was refused last: tokens, calls, sign-ins. */
export function LatestRefusals({ events }: { readonly events: readonly AuditEvent[] }) {
  return (
    <Panel title="Latest refusals" actions={<Link href="/audit">Audit log</Link>} flush>
      {events.length === 0 ? (
        <EmptyState icon={<CheckIcon size={20} />} title="Nothing was refused">
          Denied tool calls of your organization appear here, and refused token requests that one of its keys signed.
        </EmptyState>
      ) : (
        <Refusals events={events} />
      )}
    </Panel>
  );
}

function Refusals({ events }: { readonly events: readonly AuditEvent[] }) {
  return <DataTable label="Latest refusals" columns={columnsWith(useNames())} rows={events} keyOf={({ id }) => id} />;
}

/** The record says in words what was refused and why. */
function Record({ event: { id, type } }: { readonly event: AuditEvent }) {
  return (
    <Link href={path`/audit?record=${id}`}>
      <code>{type}</code>
    </Link>
  );
}

function columnsWith(names: Names): readonly Column<AuditEvent>[] {
  return [
    { id: "type", header: "What", isName: true, width: "8rem", cell: (event) => <Record event={event} /> },
    { id: "who", header: "Who", cell: (event) => <Named id={event.agent ?? event.actor ?? "–"} names={names} /> },
    { id: "tool", header: "Tool", width: "10.5rem", cell: ({ tool }) => <ForeignText text={tool ?? "–"} /> },
    { id: "reason", header: "Reason", width: "10.5rem", cell: ({ reason }) => reason ?? "–" },
    { id: "count", header: "Times", width: "4rem", cell: ({ count = 1 }) => count.toLocaleString("en") },
    { id: "time", header: "When", width: "7.5rem", cell: ({ time }) => <Time value={time} format="relative" /> },
  ];
}
