import { Button } from "@mantine/core";
import { useState } from "react";
import type { AuditEvent } from "../../../lib/management/schemas/audit-events.ts";
import { useList } from "../../api/use-list.ts";
import { AuditIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useNames } from "../../parts/use-names.ts";
import { EventDrawer } from "./event-drawer.tsx";
import { EventTable } from "./event-table.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { type Filters, isFiltered, queryOf } from "./filters.ts";
import { ReadOn } from "./read-on.tsx";
import { useFilters } from "./use-filters.ts";

const PAGE = 50;

/** What happened in the organization, newest first. The filters stand in the address, so that a search can be passed on. */
export function AuditPage() {
  const { filters, change, clear } = useFilters();
  const [opened, setOpened] = useState<AuditEvent>();
  const names = useNames();
  const query = queryOf(filters);
  const events = useList<AuditEvent>("/audit-events", { query: { ...query, limit: PAGE } });
  return (
    <PageFrame
      title="Audit log"
      description="Every token, tool call and change, with who did it. Records are written once and never changed."
      actions={<ExportMenu query={query} />}
    >
      <Panel flush>
        <FilterBar filters={filters} names={names} onChange={change} onClear={clear} />
        <DataState
          data={events.items}
          error={events.error}
          refetch={events.refetch}
          problemTitle="The audit log could not be read"
          empty={<Nothing filters={filters} hasMore={events.hasMore} onClear={clear} />}
        >
          {(items) => <EventTable events={items} names={names} onOpen={setOpened} />}
        </DataState>
        <ReadOn list={events} />
      </Panel>
      <EventDrawer event={opened} names={names} onClose={() => setOpened(undefined)} onFilter={change} />
    </PageFrame>
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
        ? "The newest records were looked at, and none matches. Search on, or name a time."
        : hasText(filters)
          ? "Names and ids have to be whole: they are compared exactly."
          : "Take a condition away, or a longer time."}
    </EmptyState>
  );
}

function hasText({ actor, agent, user, tool }: Filters): boolean {
  return [actor, agent, user, tool].some((text) => text !== "");
}
