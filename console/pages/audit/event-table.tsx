import { UnstyledButton } from "@mantine/core";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, namesWith } from "../../parts/use-names.ts";
import classes from "./event-table.module.css";
import { outcomeWords } from "./event-types.ts";

export interface EventTableProps {
  readonly events: readonly AuditEvent[];
  readonly names: Names;
  readonly zone: "utc" | "local";
  readonly onOpen: (event: AuditEvent) => void;
}

export function EventTable({ events, names, zone, onOpen }: EventTableProps) {
  return (
    <DataTable label="Audit log" columns={columnsWith({ names, zone, onOpen })} rows={events} keyOf={({ id }) => id} />
  );
}

function columnsWith({ names, zone, onOpen }: Omit<EventTableProps, "events">): readonly Column<AuditEvent>[] {
  return [
    {
      id: "type",
      header: "What",
      isName: true,
      width: "11.5rem",
      cell: (event) => (
        <span className={classes.who}>
          <UnstyledButton className={classes.open} onClick={() => onOpen(event)}>
            {event.type}
          </UnstyledButton>
          {event.details?.trial !== undefined && <StatusBadge tone="accent">Trial</StatusBadge>}
        </span>
      ),
    },
    { id: "who", header: "Who", cell: (event) => <Who event={event} names={namesWith(names, event.names)} /> },
    { id: "target", header: "Tool or app", cell: ({ tool, app }) => <ForeignText text={tool ?? app ?? "–"} /> },
    { id: "outcome", header: "Outcome", width: "9rem", cell: (event) => <Outcome event={event} /> },
    { id: "time", header: "When", width: "13rem", cell: ({ time }) => <Time value={time} zone={zone} /> },
  ];
}

interface WhoProps {
  readonly event: AuditEvent;
  readonly names: Names;
}

/** Under its name, where that is known, stands the id: names change. An agent that acts for a person is named with the person. */
function Who({ event: { actor, agent, user, details }, names }: WhoProps) {
  const first = agent ?? actor ?? user;
  if (first === undefined) return <>–</>;
  return (
    <span className={classes.who} data-cut>
      <Named id={first} names={names} isCut />
      {user !== undefined && user !== first && (
        <span className={classes.user}>
          for <ForeignText text={names.get(user) ?? user} isCut />
        </span>
      )}
      {details?.trial !== undefined && (
        <span className={classes.user}>
          tried by <ForeignText text={names.get(details.trial) ?? details.trial} isCut />
        </span>
      )}
    </span>
  );
}

function Outcome({ event: { outcome, reason, count } }: { readonly event: AuditEvent }) {
  const { label, tone } = outcomeWords(outcome);
  return (
    <span className={classes.who}>
      <StatusBadge tone={tone}>{label}</StatusBadge>
      {(reason ?? count) !== undefined && (
        <span className={classes.user}>
          {count !== undefined && `${count.toLocaleString("en")} × `}
          <ForeignText text={reason ?? ""} />
        </span>
      )}
    </span>
  );
}
