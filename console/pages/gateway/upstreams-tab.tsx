import { Anchor, Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Upstream, UpstreamList } from "../../../lib/management/schemas/upstreams.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import { GatewayIcon, RefreshIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import classes from "./sessions-tab.module.css";
import { useGatewayAddress } from "./use-gateway-address.ts";

/** What is behind the organization's apps, as the instance that answers has found it. */
export function UpstreamsTab({ upstreams }: { readonly upstreams: UseQueryResult<Answer<UpstreamList>, ApiProblem> }) {
  const { openApp } = useGatewayAddress();
  return (
    <Panel
      flush
      title="Upstreams"
      description="As the instance that answers you found them with the latest call of an agent or request for a web app. It asks nothing by itself."
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<RefreshIcon size={14} />}
          loading={upstreams.isFetching}
          onClick={() => void upstreams.refetch()}
        >
          Read again
        </Button>
      }
    >
      <DataState
        data={upstreams.data?.body.items}
        error={upstreams.error}
        refetch={() => void upstreams.refetch()}
        problemTitle="The upstreams could not be read"
        empty={
          <EmptyState icon={<GatewayIcon size={20} />} title="No upstreams">
            The web applications behind your organization's apps appear here, and the REST APIs and MCP servers while
            the gateway is on. Apps are in the configuration of this instance.
          </EmptyState>
        }
      >
        {(items) => <DataTable label="Upstreams" columns={columnsOf(openApp)} rows={items} keyOf={({ app }) => app} />}
      </DataState>
    </Panel>
  );
}

type OpenApp = ReturnType<typeof useGatewayAddress>["openApp"];

function columnsOf(openApp: OpenApp): readonly Column<Upstream>[] {
  return [
    { id: "app", header: "App", isName: true, cell: ({ app }) => <ForeignText text={app} /> },
    {
      id: "type",
      header: "Type",
      width: "18%",
      cell: ({ app, type }) =>
        type === "web" ? (
          KIND[type]
        ) : (
          <Anchor
            component="button"
            inherit
            onClick={() => (type === "bridge" ? openApp(app, "tools") : openApp("", "servers"))}
            aria-label={`${KIND[type]} ${visibleText(app)}: what it offers`}
          >
            {KIND[type]}
          </Anchor>
        ),
    },
    { id: "origin", header: "Address", width: "30%", cell: ({ origin }) => origin },
    { id: "state", header: "State", width: "32%", cell: (upstream) => <State upstream={upstream} /> },
  ];
}

const KIND = { bridge: "REST API", proxy: "MCP server", web: "Web app" } as const;

function State({ upstream: { state, reason } }: { readonly upstream: Upstream }) {
  const { label, tone, words } = STATES[state];
  return (
    <div>
      <StatusBadge tone={tone}>{label}</StatusBadge>
      <div className={classes.soft}>{reason ?? words}</div>
    </div>
  );
}

const STATES = {
  up: { label: "Up", tone: "good", words: "It answered the latest call." },
  down: { label: "Down", tone: "bad", words: "The latest call did not reach it, or got no answer in time." },
  unknown: { label: "Unknown", tone: "neutral", words: "No call went there since the instance started." },
} as const;
