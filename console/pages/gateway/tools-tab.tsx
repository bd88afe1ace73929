import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, Suspense, useMemo } from "react";
import type { Tool, ToolList } from "../../../lib/management/schemas/tools.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState, SkeletonLines } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { useSession } from "../../session/context.ts";
import { effectOf } from "./behaviour.ts";
import { Breakable } from "./breakable.tsx";
import { lifetime } from "./lifetime.ts";
import { ListFilter } from "./list-filter.tsx";
import { Pager, rowsOf } from "./pager.tsx";
import { Scopes } from "./scopes.tsx";
import { ToolDrawer } from "./tool-drawer.tsx";
import { filterTools } from "./tool-filter.ts";
import classes from "./tools-tab.module.css";
import { useGatewayAddress } from "./use-gateway-address.ts";

export type ToolsAnswer = UseQueryResult<Answer<ToolList>, ApiProblem>;

const ServerToolsPanel = lazy(() => import("../tool/server-tools-panel.tsx"));

/** Tools of the organization's REST APIs, and below them those of its MCP servers. */
export function ToolsTab({ tools }: { readonly tools: ToolsAnswer }) {
  const { instance } = useSession();
  const configured = tools.data?.body;
  const hasServers = configured !== undefined && configured.servers.length > 0;
  return (
    <div className={classes.panels}>
      <Panel
        flush
        title="Tools of REST APIs"
        description={hasServers && "Each operation of an API is a tool. Tools of MCP servers are below."}
      >
        <DataState
          data={configured}
          error={tools.error}
          refetch={() => void tools.refetch()}
          problemTitle="The tools could not be read"
          isEmpty={({ items }) => items.length === 0}
          empty={
            <EmptyState icon={<GatewayIcon size={20} />} title="No tools of REST APIs">
              Add an app of type <code>mcpBridge</code> with the API's OpenAPI document to the configuration of this
              instance. Each of its operations becomes a tool.
            </EmptyState>
          }
        >
          {({ items }) => <Tools items={items} />}
        </DataState>
      </Panel>
      {hasServers && instance !== undefined && (
        <Suspense fallback={<SkeletonLines />}>
          <ServerToolsPanel instance={instance} configured={configured} />
        </Suspense>
      )}
    </div>
  );
}

function Tools({ items }: { readonly items: readonly Tool[] }) {
  const { filters, change } = useGatewayAddress();
  const { text, app } = filters;
  const apps = useMemo(() => items.map((tool) => tool.app), [items]);
  const found = useMemo(() => filterTools(items, { text, app }), [items, text, app]);
  const { shown, page } = rowsOf(found, filters.page);
  const openTool = (tool: string) => change({ tool, page });
  return (
    <>
      <ListFilter noun="tools" placeholder="Name, path, scope, words" apps={apps} />
      {found.length === 0 ? (
        <NothingFound noun="tool" onClear={() => change({ text: "", app: "" })} />
      ) : (
        <DataTable label="Tools" columns={columnsOf(items, openTool)} rows={shown} keyOf={({ name }) => name} />
      )}
      <Pager count={found.length} page={page} one="tool" many="tools" onPage={(next) => change({ page: next })} />
      <ToolDrawer tool={items.find(({ name }) => name === filters.tool)} onClose={() => change({ tool: "", page })} />
    </>
  );
}

export function NothingFound({ noun, onClear }: { readonly noun: string; readonly onClear: () => void }) {
  return (
    <EmptyState
      title={`No ${noun} matches`}
      action={
        <Button variant="default" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Every word has to occur in its name, description, operation or scopes.
    </EmptyState>
  );
}

/** Lifetimes are a column only where some calls carry a token. */
function columnsOf(items: readonly Tool[], open: (tool: string) => void): readonly Column<Tool>[] {
  const ttl: Column<Tool> = {
    id: "ttl",
    header: "Token TTL",
    align: "end",
    width: "6rem",
    cell: ({ exchange }) => (exchange === undefined ? "–" : lifetime(exchange.ttl)),
  };
  return [
    {
      id: "name",
      header: "Tool",
      isName: true,
      cell: ({ name, title }) => (
        <>
          <button type="button" className={classes.open} onClick={() => open(name)}>
            <Breakable text={name} />
          </button>
          {title !== undefined && (
            <div className={classes.title}>
              <ForeignText text={title} />
            </div>
          )}
        </>
      ),
    },
    { id: "app", header: "App", width: "12%", cell: ({ app }) => <ForeignText text={app} /> },
    {
      id: "operation",
      header: "Operation",
      width: "25%",
      cell: ({ method, path }) => (
        <code className={classes.operation}>
          {method} <Breakable text={path} />
        </code>
      ),
    },
    {
      id: "scopes",
      header: "Scopes",
      width: "15%",
      cell: ({ scopes, denied }) => <Scopes scopes={scopes} none={denied ? "Nobody may call it" : "None"} />,
    },
    {
      id: "effect",
      header: "Effect",
      width: "7rem",
      cell: ({ annotations }) => {
        const { label, tone } = effectOf(annotations);
        return <StatusBadge tone={tone}>{label}</StatusBadge>;
      },
    },
    ...(items.some(({ exchange }) => exchange !== undefined) ? [ttl] : []),
  ];
}
