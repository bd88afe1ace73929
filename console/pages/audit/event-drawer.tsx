import { Anchor, Button } from "@mantine/core";
import { Fragment } from "react";
import { Link } from "wouter";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { path } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { DetailsDrawer } from "../../parts/details-drawer.tsx";
import { type Fact, Facts } from "../../parts/facts.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, namesWith } from "../../parts/use-names.ts";
import { useSession } from "../../session/context.ts";
import { StopAgent } from "../stops/stop-agent.tsx";
import classes from "./event-drawer.module.css";
import { outcomeWords } from "./event-types.ts";
import { type Filters, zoneOf } from "./filters.ts";
import { RefusalNote } from "./refusal-note.tsx";
import { recordAddress } from "./use-filters.ts";

export interface EventDrawerProps {
  /** Empty: closed. */
  readonly id: string;
  /** The record, where the list has it. */
  readonly known: AuditEvent | undefined;
  readonly filters: Filters;
  readonly names: Names;
  readonly onClose: () => void;
  readonly onFilter: (some: Partial<Filters>) => void;
}

/** A record with everything that is in it, and ways to others like it. */
export function EventDrawer({ id, known, filters, names, onClose, onFilter: search }: EventDrawerProps) {
  const read = useRead<AuditEvent>(path`/audit-events/${id}`, {
    enabled: id !== "" && known === undefined,
    query: { instance: filters.instance === "true" || undefined },
  });
  const { instance } = useSession();
  const event = known ?? read.data?.body;
  return (
    <DetailsDrawer opened={id !== ""} title={<code>{event?.type ?? "Record"}</code>} onClose={onClose}>
      {event === undefined && id !== "" && (
        <DataState
          data={event}
          error={read.error}
          refetch={() => void read.refetch()}
          problemTitle="The record could not be read"
        >
          {() => null}
        </DataState>
      )}
      {event && (
        <div className={classes.content}>
          <RefusalNote event={event} />
          <Facts facts={factsOf(event, namesWith(names, event.names), zoneOf(filters), instance?.traceURL)} />
          <div className={classes.actions}>
            <SearchButton label="All of this actor" value={event.actor} onClick={(actor) => search({ actor })} />
            <SearchButton label="All of this agent" value={event.agent} onClick={(agent) => search({ agent })} />
            <SearchButton label="All for this person" value={event.user} onClick={(user) => search({ user })} />
            <SearchButton label="All of this tool" value={event.tool} onClick={(tool) => search({ tool })} />
            <SearchButton
              label="All of this request"
              value={event.requestId}
              onClick={(requestId) => search({ requestId })}
            />
            <StopAgent event={event} names={names} />
            <CopyButton isWide value={recordAddress(event.id, filters)} label="Copy link" />
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

function factsOf(
  event: AuditEvent,
  names: Names,
  zone: "utc" | "local",
  traceURL: string | undefined,
): readonly Fact[] {
  const { label, tone } = outcomeWords(event.outcome);
  return [
    { term: "Outcome", value: <StatusBadge tone={tone}>{label}</StatusBadge> },
    { term: "Reason", value: textOf(event.reason) },
    { term: "When", value: <Time value={event.time} zone={zone} /> },
    { term: "UTC", value: event.time.replace("T", " ").replace("Z", "") },
    { term: "How many", value: event.count?.toLocaleString("en") },
    { term: "Since", value: event.since && <Time value={event.since} zone={zone} /> },
    { term: "Actor", value: namedOf(event.actor, names) },
    { term: "Agent", value: namedOf(event.agent, names) },
    { term: "For the person", value: namedOf(event.user, names) },
    { term: "Chain of actors", value: event.actChain && <Chain ids={event.actChain} names={names} /> },
    { term: "App", value: textOf(event.app) },
    { term: "Tool", value: toolOf(event) },
    { term: "Decision took", value: tookOf(event.details?.decisionMs) },
    { term: "Credential took", value: tookOf(event.details?.credentialMs) },
    { term: "Took", value: tookOf(event.durationMs) },
    { term: "Arguments", value: event.argumentsDigest && <code>{`SHA-256 ${event.argumentsDigest}`}</code> },
    { term: "Configuration", value: event.configRevision && `revision ${event.configRevision}` },
    { term: "Request", value: event.requestId && <code>{event.requestId}</code> },
    { term: "Region", value: event.region },
    { term: "Trace", value: traceOf(event.details?.traceId, traceURL) },
    { term: "Record", value: <code>{event.id}</code> },
    ...detailsOf(event, names),
  ];
}

/** What is particular to the type, by the names that the record gives it. */
function detailsOf({ details = {} }: AuditEvent, names: Names): readonly Fact[] {
  const { traceId: _trace, decisionMs: _decision, credentialMs: _credential, ...others } = details;
  return Object.entries(others).map(([term, value]) => ({ term, value: namedOf(value, names) }));
}

function tookOf(milliseconds: number | string | undefined) {
  return milliseconds === undefined ? undefined : `${milliseconds} ms`;
}

/** The id, and the way to the viewer that the instance is configured with. */
function traceOf(traceId: string | undefined, traceURL: string | undefined) {
  if (traceId === undefined) return undefined;
  return (
    <>
      <code>{traceId}</code>
      {traceURL !== undefined && (
        <>
          {" "}
          <Anchor href={traceURL.replaceAll("{traceId}", traceId)} target="_blank" rel="noreferrer">
            Open the trace
          </Anchor>
        </>
      )}
    </>
  );
}

/** Who acts, and before whom the others did (RFC 8693 §4.1). */
function Chain({ ids, names }: { readonly ids: readonly string[]; readonly names: Names }) {
  return ids.map(linkOf).map(({ id, key, arrow }) => (
    <Fragment key={key}>
      {arrow}
      {names.has(id) && (
        <>
          <ForeignText text={names.get(id) ?? ""} />{" "}
        </>
      )}
      <ForeignText text={names.has(id) ? `(${id})` : id} />
    </Fragment>
  ));
}

function linkOf(id: string, index: number) {
  return { id, key: `${index}`, arrow: index === 0 ? "" : " ← " };
}

function namedOf(id: string | undefined, names: Names) {
  return id === undefined ? undefined : <Named id={id} names={names} />;
}

/** Other records have the name of their app there. */
function toolOf({ type, tool }: AuditEvent) {
  if (tool === undefined || type !== "tool.invoked") return textOf(tool);
  return <Link href={path`/gateway/tools/${tool}`}>{textOf(tool)}</Link>;
}

function textOf(text: string | undefined) {
  return text === undefined ? undefined : <ForeignText text={text} />;
}
