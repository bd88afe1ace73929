import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { StopList } from "../../../lib/management/schemas/stops.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
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
import {
  ANSWERS,
  type Answer,
  accessCsv,
  type Callable,
  callablesOf,
  type Filters,
  fitting,
  type Surroundings,
} from "./access.ts";
import { AccessTable } from "./access-table.tsx";

const SEARCH_DELAY = 250;
/** Callers that are read at a time. */
const CALLERS = 200;

/** Which API client may call which tool. */
export function AccessPage() {
  const { instance, organization } = useSession();
  const [search, setSearch] = useState("");
  const [searched] = useDebouncedValue(search.trim(), SEARCH_DELAY);
  const clients = useFilledList<ApiClient>("/api-clients", { query: { limit: CALLERS, search: searched } });
  const tools = useRead<ToolList>("/tools");
  const stops = useRead<StopList>("/stops");
  const isRead = clients.items !== undefined && tools.data !== undefined && stops.data !== undefined;
  const around: Surroundings = {
    gateways: instance?.resources.map(({ url }) => url) ?? [],
    stops: stops.data?.body.items ?? [],
    organizationId: organization.organizationId,
  };
  return (
    <PageFrame
      title="Who can call what"
      term="access"
      description="API clients and tools, as their scopes, audiences, stops and the configuration have it now. Conditions are decided with each call."
    >
      <TextInput
        className={classes.search}
        aria-label="Search API clients"
        placeholder="Name, description or client ID"
        leftSection={<SearchIcon size={14} />}
        value={search}
        maxLength={200}
        onChange={(event) => setSearch(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <Panel flush title="API clients and tools">
        <DataState
          data={
            isRead && instance !== undefined
              ? { callables: callablesOf(tools.data.body), clients: clients.items }
              : undefined
          }
          error={clients.error ?? tools.error ?? stops.error}
          refetch={() => void Promise.all([clients.refetch(), tools.refetch(), stops.refetch()])}
          problemTitle="Who can call what could not be read"
          isEmpty={(read) => read.callables.length === 0 || read.clients.length === 0}
          empty={
            <EmptyState icon={<KeyIcon size={20} />} title="Nothing to compare">
              There is no API client{searched === "" ? "" : " that matches"}, or no app with tools.
            </EmptyState>
          }
        >
          {(read) => <Matrix {...read} around={around} />}
        </DataState>
        <LoadMore list={clients} noun="API clients" />
      </Panel>
    </PageFrame>
  );
}

interface MatrixProps {
  readonly callables: readonly Callable[];
  readonly clients: readonly ApiClient[];
  readonly around: Surroundings;
}

function Matrix({ callables, clients, around }: MatrixProps) {
  const [filters, setFilters] = useState<Filters>({ tool: "", app: "", answer: "" });
  const [page, setPage] = useState(1);
  const change = (some: Partial<Filters>) => {
    setFilters({ ...filters, ...some });
    setPage(1);
  };
  const found = fitting(callables, clients, filters, around);
  const { shown, page: current } = rowsOf(found, page);
  const save = () =>
    saveFile(
      "who-can-call-what.csv",
      new Blob([accessCsv(found, clients, filters.answer, around)], { type: "text/csv" }),
    );
  return (
    <>
      <search className={classes.bar}>
        <TextInput
          label="Tool or scope"
          value={filters.tool}
          onChange={(event) => change({ tool: event.currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
        />
        <NativeSelect
          label="App"
          value={filters.app}
          data={[{ value: "", label: "All apps" }, ...new Set(callables.map(({ app }) => app))]}
          onChange={(event) => change({ app: event.currentTarget.value })}
        />
        <NativeSelect
          label="Answer"
          value={filters.answer}
          data={[
            { value: "", label: "All answers" },
            ...Object.entries(ANSWERS).map(([value, label]) => ({ value, label: LABELS[value as Answer] ?? label })),
          ]}
          onChange={(event) => change({ answer: event.currentTarget.value as Filters["answer"] })}
        />
        <Button variant="default" className={classes.save} onClick={save}>
          Export as CSV
        </Button>
      </search>
      {found.length === 0 ? (
        <EmptyState icon={<SearchIcon size={20} />} title="No tool matches">
          No tool fits these filters.
        </EmptyState>
      ) : (
        <AccessTable callables={shown} clients={clients} answer={filters.answer} around={around} />
      )}
      <Pager count={found.length} page={current} one="tool" many="tools" onPage={setPage} />
    </>
  );
}

const LABELS: Readonly<Partial<Record<Answer, string>>> = { conditional: "May under conditions" };
