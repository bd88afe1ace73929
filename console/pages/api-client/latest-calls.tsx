import { useState } from "react";
import { Link } from "wouter";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { path } from "../../api/request.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { outcomeWords } from "../audit/event-types.ts";

const DAYS = 7;
const DAY = 86_400_000;
const SHOWN = 5;
const TYPE = "tool.invoked";

/** What an API client called last. No further back than a week: the log of a client that calls nothing is read to its end. */
export function LatestCalls({ clientId }: { readonly clientId: string }) {
  const [from] = useState(() => new Date(Date.now() - DAYS * DAY).toISOString());
  const query = { type: TYPE, agent: clientId, from, limit: SHOWN };
  const { items, error, refetch } = useFilledList<AuditEvent>("/audit-events", { query });
  return (
    <Panel
      flush
      title="Latest calls"
      description={`Of tools, in the last ${DAYS} days.`}
      actions={<Link href={`/audit?${new URLSearchParams({ type: TYPE, agent: clientId })}`}>All its calls</Link>}
    >
      <DataState
        {...{ data: items?.slice(0, SHOWN), error, refetch }}
        problemTitle="The calls could not be read"
        empty={
          <EmptyState icon={<GatewayIcon size={20} />} title={`No calls in the last ${DAYS} days`}>
            Calls of the client at the gateway appear here, also those that were denied.
          </EmptyState>
        }
      >
        {(events) => <DataTable label="Latest calls" columns={COLUMNS} rows={events} keyOf={({ id }) => id} />}
      </DataState>
    </Panel>
  );
}

const COLUMNS: readonly Column<AuditEvent>[] = [
  { id: "tool", header: "Tool", isName: true, cell: (event) => <Call event={event} /> },
  { id: "outcome", header: "Outcome", width: "9rem", cell: ({ outcome }) => <Outcome outcome={outcome} /> },
  { id: "reason", header: "Reason", cell: ({ reason }) => <ForeignText text={reason ?? "–"} /> },
  { id: "time", header: "When", width: "9rem", cell: ({ time }) => <Time value={time} format="relative" /> },
];

/** To its record, which says in words why it was denied or failed. */
function Call({ event: { id, tool, app } }: { readonly event: AuditEvent }) {
  return (
    <Link href={path`/audit?record=${id}`}>
      <ForeignText text={tool ?? app ?? "–"} />
    </Link>
  );
}

function Outcome({ outcome }: Pick<AuditEvent, "outcome">) {
  const { label, tone } = outcomeWords(outcome);
  return <StatusBadge tone={tone}>{label}</StatusBadge>;
}
