import { ActionIcon, UnstyledButton } from "@mantine/core";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { StopIcon } from "../../icons.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, namesWith } from "../../parts/use-names.ts";
import { useSubject } from "../../parts/use-subject.ts";
import { useAgentOf } from "../stops/stop-agent.tsx";
import { StopDialog, type StopTarget } from "../stops/stop-dialog.tsx";
import classes from "./event-table.module.css";
import { outcomeWords } from "./event-types.ts";

export interface EventTableProps {
  readonly events: readonly AuditEvent[];
  readonly names: Names;
  readonly zone: "utc" | "local";
  readonly onOpen: (event: AuditEvent) => void;
}

export function EventTable({ events, names, zone, onOpen }: EventTableProps) {
  const stopping = useSubject<StopTarget>();
  const agentOf = useAgentOf(names);
  const columns = columnsWith({ names, zone, onOpen });
  const hasStops = events.some((event) => agentOf(event) !== undefined);
  return (
    <>
      <DataTable
        label="Audit log"
        columns={hasStops ? [...columns, stopColumn(agentOf, stopping.open)] : columns}
        rows={events}
        keyOf={({ id }) => id}
      />
      <StopDialog
        opened={stopping.isOpen}
        onClose={stopping.close}
        {...(stopping.value && { target: stopping.value })}
      />
    </>
  );
}

/** Whoever sees that an agent is refused can stop it from here. */
function stopColumn(
  agentOf: (event: AuditEvent) => StopTarget | undefined,
  onStop: (target: StopTarget) => void,
): Column<AuditEvent> {
  return {
    id: "stop",
    header: "Stop",
    isHeaderHidden: true,
    align: "end",
    width: "3.5rem",
    cell: (event) => {
      const target = agentOf(event);
      if (target === undefined) return null;
      const label = `Stop the agent ${visibleText(target.name ?? target.id)}`;
      return (
        <ActionIcon size="sm" aria-label={label} title={label} onClick={() => onStop(target)}>
          <StopIcon size={14} />
        </ActionIcon>
      );
    },
  };
}

function columnsWith({ names, zone, onOpen }: Omit<EventTableProps, "events">): readonly Column<AuditEvent>[] {
  return [
    {
      id: "type",
      header: "What",
      isName: true,
      width: "12.25rem",
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
    { id: "outcome", header: "Outcome", width: "8rem", cell: (event) => <Outcome event={event} /> },
    { id: "time", header: "When", width: "9.5rem", cell: ({ time }) => <Time value={time} zone={zone} /> },
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
