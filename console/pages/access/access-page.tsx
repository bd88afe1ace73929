import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import type { Member } from "../../../lib/management/schemas/members.ts";
import type { StopList } from "../../../lib/management/schemas/stops.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { KeyIcon, SearchIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { useSession } from "../../session/context.ts";
import { Pager, rowsOf } from "../gateway/pager.tsx";
import classes from "./access.module.css";
import { ANSWERS, type Answer, accessCsv, type Callable, callablesOf, fitting, type Surroundings } from "./access.ts";
import { AccessTable } from "./access-table.tsx";
import { type CallerGroup, fittingGroups, groupOfClient, groupsOfAgents } from "./callers.ts";
import { type PageFilters, useFilters } from "./use-filters.ts";

const SEARCH_DELAY = 250;
/** Callers that are read at a time. */
const CALLERS = 200;

type Change = (some: Partial<PageFilters>) => void;

/** Which API client, and which agent for whom, may call which tool. The address has all filters. */
export function AccessPage() {
  const { instance, organization, isOwner } = useSession();
  const [filters, change] = useFilters();
  const [searched] = useDebouncedValue(filters.search.trim(), SEARCH_DELAY);
  const clients = useFilledList<ApiClient>("/api-clients", { query: { limit: CALLERS, search: searched } });
  const agents = useAgents(isOwner);
  const tools = useRead<ToolList>("/tools");
  const stops = useRead<StopList>("/stops");
  const around: Surroundings = {
    gateways: instance?.resources.map(({ url }) => url) ?? [],
    stops: stops.data?.body.items ?? [],
    organizationId: organization.organizationId,
  };
  const isRead = instance !== undefined && stops.data !== undefined && agents.groups !== undefined;
  const groups = fittingGroups([...(clients.items ?? []).map(groupOfClient), ...(agents.groups ?? [])], filters);
  return (
    <PageFrame
      title="Who can call what"
      term="access"
      description="API clients, agents that people connected, and tools, as scopes, audiences, stops and the configuration have it now. Conditions are decided with each call."
    >
      <Panel flush title="Callers and tools">
        <CallerBar {...{ filters, change, isOwner }} />
        <DataState
          data={
            isRead && clients.items !== undefined && tools.data !== undefined
              ? { callables: callablesOf(tools.data.body), groups }
              : undefined
          }
          error={clients.error ?? agents.list.error ?? tools.error ?? stops.error}
          refetch={() => void Promise.all([clients.refetch(), agents.list.refetch(), tools.refetch(), stops.refetch()])}
          problemTitle="Who can call what could not be read"
          isEmpty={(read) => read.callables.length === 0 || read.groups.length === 0}
          empty={
            <EmptyState icon={<KeyIcon size={20} />} title="Nothing to compare">
              No API client or agent matches, or there is no app with tools.
            </EmptyState>
          }
        >
          {(read) => <Matrix {...read} {...{ around, filters, change }} />}
        </DataState>
        {filters.callers !== "agent" && filters.person === "" && <LoadMore list={clients} noun="API clients" />}
        {filters.callers !== "api_client" && <LoadMore list={agents.list} noun="connected agents" />}
      </Panel>
    </PageFrame>
  );
}

/** Agents that people connected, for owners: nobody else sees what others allowed. */
function useAgents(isOwner: boolean) {
  const query = { limit: CALLERS };
  const list = useFilledList<ConnectedAgent>("/connected-agents", {
    query: { ...query, everyone: true },
    enabled: isOwner,
  });
  const members = useList<Member>("/members", { query, enabled: isOwner }).items ?? [];
  const names = new Map(members.map(({ userId, email }) => [userId, email]));
  const groups = isOwner ? list.items && groupsOfAgents(list.items, names) : [];
  return { list, groups };
}

interface BarProps {
  readonly filters: PageFilters;
  readonly change: Change;
}

function CallerBar({ filters, change, isOwner }: BarProps & { readonly isOwner: boolean }) {
  return (
    <search className={classes.bar} aria-label="Callers">
      <TextInput
        label={isOwner ? "API client or agent" : "API client"}
        placeholder="Name or ID"
        leftSection={<SearchIcon size={14} />}
        value={filters.search}
        maxLength={200}
        onChange={(event) => change({ search: event.currentTarget.value })}
        autoComplete="off"
        spellCheck={false}
      />
      {isOwner && (
        <>
          <NativeSelect
            label="Callers"
            value={filters.callers}
            data={[
              { value: "", label: "All callers" },
              { value: "api_client", label: "API clients" },
              { value: "agent", label: "Agents of people" },
            ]}
            onChange={(event) => change({ callers: event.currentTarget.value as PageFilters["callers"] })}
          />
          <TextInput
            label="Person"
            placeholder="Name or ID"
            value={filters.person}
            maxLength={200}
            onChange={(event) => change({ person: event.currentTarget.value })}
            autoComplete="off"
            spellCheck={false}
          />
        </>
      )}
    </search>
  );
}

interface MatrixProps extends BarProps {
  readonly callables: readonly Callable[];
  readonly groups: readonly CallerGroup[];
  readonly around: Surroundings;
}

function Matrix({ callables, groups, around, filters, change }: MatrixProps) {
  const callers = groups.flatMap((group) => group.callers);
  const found = fitting(callables, callers, filters, around);
  const save = () =>
    saveFile(
      "who-can-call-what.csv",
      new Blob([accessCsv(found, callers, filters.answer, around)], { type: "text/csv" }),
    );
  return (
    <>
      <search className={classes.bar} aria-label="Tools">
        <TextInput
          label="Tool or scope"
          value={filters.tool}
          maxLength={200}
          onChange={(event) => change({ tool: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
        <NativeSelect
          label="App"
          value={filters.app}
          data={[{ value: "", label: "All apps" }, ...new Set([...callables.map(({ app }) => app), ...appOf(filters)])]}
          onChange={(event) => change({ app: event.currentTarget.value })}
        />
        <NativeSelect
          label="Answer"
          value={filters.answer}
          data={[
            { value: "", label: "All answers" },
            ...Object.entries(ANSWERS).map(([value, label]) => ({ value, label: LABELS[value as Answer] ?? label })),
          ]}
          onChange={(event) => change({ answer: event.currentTarget.value as PageFilters["answer"] })}
        />
        <Button variant="default" className={classes.save} onClick={save}>
          Export as CSV
        </Button>
      </search>
      <Found key={JSON.stringify(filters)} {...{ found, groups, around }} answer={filters.answer} />
    </>
  );
}

/** One that the address names and that is gone is still what is filtered for. */
function appOf({ app }: PageFilters): readonly string[] {
  return app === "" ? [] : [app];
}

interface FoundProps extends Pick<MatrixProps, "groups" | "around"> {
  readonly found: readonly Callable[];
  readonly answer: PageFilters["answer"];
}

/** Begins at the first page whenever something else is filtered for. */
function Found({ found, groups, answer, around }: FoundProps) {
  const [page, setPage] = useState(1);
  const { shown, page: current } = rowsOf(found, page);
  return (
    <>
      {found.length === 0 ? (
        <EmptyState icon={<SearchIcon size={20} />} title="No tool matches">
          No tool fits these filters.
        </EmptyState>
      ) : (
        <AccessTable callables={shown} groups={groups} answer={answer} around={around} />
      )}
      <Pager count={found.length} page={current} one="tool" many="tools" onPage={setPage} />
    </>
  );
}

const LABELS: Readonly<Partial<Record<Answer, string>>> = { conditional: "May under conditions" };
