import { Tabs } from "@mantine/core";
import type { McpSession } from "../../../lib/management/schemas/mcp-sessions.ts";
import type { ToolList } from "../../../lib/management/schemas/tools.ts";
import type { UpstreamList } from "../../../lib/management/schemas/upstreams.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { AddAppLink } from "../../parts/add-app-link.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { ConnectPanel } from "./connect-panel.tsx";
import classes from "./gateway-page.module.css";
import { LeftOutTab } from "./left-out-tab.tsx";
import { OpenGatewayNote } from "./open-gateway-note.tsx";
import { ServersTab } from "./servers-tab.tsx";
import { SessionsTab } from "./sessions-tab.tsx";
import { TabLabel } from "./tab-label.tsx";
import { ToolsTab } from "./tools-tab.tsx";
import { UpstreamsTab } from "./upstreams-tab.tsx";
import { isGatewayTab, useGatewayAddress } from "./use-gateway-address.ts";

/** Milliseconds between two looks at what changes by itself. */
const REFRESH = 15_000;

/** Where agents connect, what they find there, who is there now, and what is behind it. */
export function GatewayPage() {
  const { tab, open } = useGatewayAddress();
  const tools = useRead<ToolList>("/tools");
  const sessions = useList<McpSession>("/mcp-sessions", { query: { limit: 50 }, refetchInterval: REFRESH });
  const upstreams = useRead<UpstreamList>("/upstreams", { refetchInterval: REFRESH });
  const down = upstreams.data?.body.items.filter(({ state }) => state === "down").length ?? 0;
  const live = sessions.items && `${sessions.items.length}${sessions.hasMore ? "+" : ""}`;
  return (
    <PageFrame
      title="Tools and sessions"
      term="tool"
      description="Where agents connect, the tools they find there, who is connected now, and what is behind it."
      actions={<AddAppLink />}
    >
      <OpenGatewayNote />
      <ConnectPanel />
      <Tabs value={tab} onChange={(value) => isGatewayTab(value) && open(value)} className={classes.tabs}>
        <Tabs.List aria-label="Gateway" className={classes.list}>
          <Tabs.Tab value="tools">
            <TabLabel text="Tools" count={tools.data?.body.items.length} />
          </Tabs.Tab>
          <Tabs.Tab value="servers">
            <TabLabel text="MCP servers" count={tools.data?.body.servers.length} />
          </Tabs.Tab>
          <Tabs.Tab value="left-out">
            <TabLabel text="Left out" count={tools.data?.body.leftOut.length} />
          </Tabs.Tab>
          <Tabs.Tab value="sessions">
            <TabLabel text="Sessions" count={live} />
          </Tabs.Tab>
          <Tabs.Tab value="upstreams">
            <TabLabel text="Upstreams" count={upstreams.data?.body.items.length} down={down} />
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="tools">
          <ToolsTab tools={tools} />
        </Tabs.Panel>
        <Tabs.Panel value="servers">
          <ServersTab tools={tools} />
        </Tabs.Panel>
        <Tabs.Panel value="left-out">
          <LeftOutTab tools={tools} />
        </Tabs.Panel>
        <Tabs.Panel value="sessions">
          <SessionsTab sessions={sessions} />
        </Tabs.Panel>
        <Tabs.Panel value="upstreams">
          <UpstreamsTab upstreams={upstreams} />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}
