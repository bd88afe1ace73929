import { Button } from "@mantine/core";
import { useMemo, useState } from "react";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import type { Query } from "../../api/request.ts";
import { useList } from "../../api/use-list.ts";
import { AuditIcon, BoltIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { useNames } from "../../parts/use-names.ts";
import classes from "./audit-page.module.css";
import { EventDrawer } from "./event-drawer.tsx";
import { EventTable } from "./event-table.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { type Filters, isFiltered, queryOf, zoneOf } from "./filters.ts";
import { ReadOn } from "./read-on.tsx";
import { useFilters } from "./use-filters.ts";
import { useFollowed } from "./use-followed.ts";

const PAGE = 50;

/** What happened in the organization, newest first. Filters and the open record stand in the address, so that they can be passed on. */
export function AuditPage() {
  const { filters, record, change, open, clear } = useFilters();
  const [isFollowing, setFollowing] = useState(false);
  const query = useQueryOf(filters);
  const events = useList<AuditEvent>("/audit-events", { query: { ...query, limit: PAGE, total: true } });
  const followed = useFollowed(query, events.items, isFollowing);
  // Records name those in them: the filters offer these, too.
  const names = new Map([
    ...(followed.items ?? []).flatMap((event) => Object.entries(event.names ?? {})),
    ...useNames(),
  ]);
  return (
    <PageFrame
      title="Audit log"
      term="auditRecord"
      description="Every token, tool call and change, with who did it. Records are written once and never changed."
      actions={
        <>
          <FollowButton isOn={isFollowing} onChange={setFollowing} />
          <ExportMenu query={query} />
        </>
      }
    >
      <Panel flush>
        <FilterBar filters={filters} names={names} onChange={change} onClear={clear} />
        {filters.instance === "true" && <OfInstance onBack={() => change({ instance: "" })} />}
        {followed.error && (
          <ProblemNote error={followed.error} title="Newer records are not looked for" onRetry={followed.again} />
        )}
        <DataState
          data={followed.items}
          error={events.error}
          refetch={events.refetch}
          problemTitle="The audit log could not be read"
          empty={<Nothing filters={filters} hasMore={events.hasMore} onClear={clear} />}
        >
          {(items) => <EventTable events={items} names={names} zone={zoneOf(filters)} onOpen={({ id }) => open(id)} />}
        </DataState>
        <ReadOn list={events} zone={zoneOf(filters)} />
      </Panel>
      <EventDrawer
        id={record}
        known={followed.items?.find(({ id }) => id === record)}
        {...{ filters, names }}
        onClose={() => open("")}
        onFilter={change}
      />
    </PageFrame>
  );
}

/** The same query as long as the filters are the same: a span goes on from when it was chosen. */
function useQueryOf(filters: Filters): Query {
  const text = JSON.stringify(filters);
  return useMemo(() => queryOf(JSON.parse(text) as Filters), [text]);
}

interface FollowButtonProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** Newer records appear by themselves while this is pressed. */
function FollowButton({ isOn, onChange }: FollowButtonProps) {
  return (
    <Button
      variant={isOn ? "light" : "default"}
      aria-pressed={isOn}
      leftSection={<BoltIcon size={14} />}
      onClick={() => onChange(!isOn)}
    >
      Follow
    </Button>
  );
}

/** Another list than the usual one, though it looks alike: says so, and leads back. */
function OfInstance({ onBack }: { readonly onBack: () => void }) {
  return (
    <div className={classes.instance}>
      <span>These are records of the instance, which belong to no organization.</span>
      <Button variant="default" size="xs" onClick={onBack}>
        Back to your organization's
      </Button>
    </div>
  );
}

interface NothingProps {
  readonly filters: Filters;
  readonly hasMore: boolean;
  readonly onClear: () => void;
}

function Nothing({ filters, hasMore, onClear }: NothingProps) {
  if (!isFiltered(filters)) {
    return (
      <EmptyState icon={<AuditIcon size={20} />} title="No records yet">
        The first one comes with the first sign-in, token or change.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<AuditIcon size={20} />}
      title={hasMore ? "Nothing found so far" : "No record matches"}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      {hasMore
        ? "None of the newest records matches. Search older ones, or choose a time."
        : hasText(filters)
          ? "Actor, agent, person and tool must be whole names or IDs. Search finds parts of them."
          : "Remove a condition, or choose a longer time."}
    </EmptyState>
  );
}

function hasText({ actor, agent, user, tool }: Filters): boolean {
  return [actor, agent, user, tool].some((text) => text !== "");
}
