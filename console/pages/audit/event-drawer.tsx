import { Button } from "@mantine/core";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DetailsDrawer } from "../../parts/details-drawer.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import classes from "./event-drawer.module.css";
import { outcomeWords } from "./event-types.ts";
import type { Filters } from "./filters.ts";

export interface EventDrawerProps {
  /** Undefined: closed. */
  readonly event: AuditEvent | undefined;
  readonly onClose: () => void;
  readonly onFilter: (some: Partial<Filters>) => void;
}

/** A record with everything that is in it, and ways to others like it. */
export function EventDrawer({ event, onClose, onFilter }: EventDrawerProps) {
  const search = (some: Partial<Filters>) => {
    onFilter(some);
    onClose();
  };
  return (
    <DetailsDrawer opened={event !== undefined} title={<code>{event?.type}</code>} onClose={onClose}>
      {event && (
        <div className={classes.content}>
          <Facts facts={[...factsOf(event), ...detailsOf(event)]} />
          <div className={classes.actions}>
            <SearchButton label="All of this actor" value={event.actor} onClick={(actor) => search({ actor })} />
            <SearchButton label="All of this agent" value={event.agent} onClick={(agent) => search({ agent })} />
            <SearchButton label="All of this tool" value={event.tool} onClick={(tool) => search({ tool })} />
            <CopyButton isWide value={JSON.stringify(event, undefined, 2)} label="Copy as JSON" />
          </div>
        </div>
      )}
    </DetailsDrawer>
  );
}

interface SearchButtonProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onClick: (value: string) => void;
}

function SearchButton({ label, value, onClick }: SearchButtonProps) {
  if (value === undefined) return null;
  return (
    <Button variant="default" onClick={() => onClick(value)}>
      {label}
    </Button>
  );
}

function factsOf(event: AuditEvent): readonly Fact[] {
  const { label, tone } = outcomeWords(event.outcome);
  return [
    { term: "Outcome", value: <StatusBadge tone={tone}>{label}</StatusBadge> },
    { term: "Reason", value: textOf(event.reason) },
    { term: "When", value: <Time value={event.time} format="full" /> },
    { term: "UTC", value: event.time.replace("T", " ").replace("Z", "") },
    { term: "Actor", value: textOf(event.actor) },
    { term: "Agent", value: textOf(event.agent) },
    { term: "For the person", value: textOf(event.user) },
    { term: "Chain of actors", value: textOf(event.actChain?.join(" ← ")) },
    { term: "App", value: textOf(event.app) },
    { term: "Tool", value: textOf(event.tool) },
    { term: "Took", value: event.durationMs === undefined ? undefined : `${event.durationMs} ms` },
    { term: "Arguments", value: event.argumentsDigest && <code>{`SHA-256 ${event.argumentsDigest}`}</code> },
    { term: "Request", value: event.requestId && <code>{event.requestId}</code> },
    { term: "Region", value: event.region },
    { term: "Record", value: <code>{event.id}</code> },
  ];
}

/** What is particular to the type, by the names that the record gives it. */
function detailsOf({ details = {} }: AuditEvent): readonly Fact[] {
  return Object.entries(details).map(([term, value]) => ({ term, value: textOf(value) }));
}

function textOf(text: string | undefined) {
  return text === undefined ? undefined : <ForeignText text={text} />;
}
