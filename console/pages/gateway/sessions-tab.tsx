import { Button } from "@mantine/core";
import type { McpSession } from "../../../lib/management/schemas/mcp-sessions.ts";
import type { List } from "../../api/use-list.ts";
import { PersonIcon, RefreshIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, useNames } from "../../parts/use-names.ts";
import { useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { EndSessionDialog } from "./end-session-dialog.tsx";
import { SessionAgent } from "./session-agent.tsx";
import classes from "./sessions-tab.module.css";

/** Live sessions of the organization's agents. */
export function SessionsTab({ sessions }: { readonly sessions: List<McpSession> }) {
  const { isOwner } = useSession();
  const ending = useSubject<McpSession>();
  const columns = columnsOf(useNames());
  return (
    <Panel
      flush
      title="Live sessions"
      description="Newest first, and late by some seconds. Agents of the newest protocol need no session, and are not here."
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<RefreshIcon size={14} />}
          loading={sessions.isFetching && !sessions.isReadingMore}
          onClick={sessions.refetch}
        >
          Read again
        </Button>
      }
    >
      <DataState
        data={sessions.items}
        error={sessions.error}
        refetch={sessions.refetch}
        problemTitle="The sessions could not be read"
        empty={
          <EmptyState icon={<PersonIcon size={20} />} title="No agent is in a session">
            A session appears when an agent of a protocol with sessions connects, where the configuration has{" "}
            <code>session.enabled</code> for the transport.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Live sessions"
            columns={isOwner ? [...columns, endColumn(ending.open)] : columns}
            rows={items}
            keyOf={({ id }) => id}
          />
        )}
      </DataState>
      <LoadMore list={sessions} noun="sessions" />
      <EndSessionDialog ending={ending} />
    </Panel>
  );
}

function columnsOf(names: Names): readonly Column<McpSession>[] {
  return [
    {
      id: "agent",
      header: "Agent",
      isName: true,
      cell: (session) => <SessionAgent session={session} name={names.get(session.agent ?? "")} />,
    },
    {
      id: "user",
      header: "Person",
      width: "13%",
      cell: ({ user }) => (user === undefined ? "–" : <ForeignText text={user} />),
    },
    timeColumn("Started", ({ startedAt }) => startedAt),
    timeColumn("Last seen", ({ lastSeenAt }) => lastSeenAt),
    timeColumn("Ends if idle", ({ expiresAt }) => expiresAt),
    {
      id: "protocol",
      header: "Protocol",
      width: "9.5rem",
      cell: ({ protocolVersion, transport }) => (
        <div>
          {protocolVersion}
          <div className={classes.soft}>{TRANSPORT[transport]}</div>
        </div>
      ),
    },
  ];
}

function timeColumn(header: string, timeOf: (session: McpSession) => string): Column<McpSession> {
  return {
    id: header,
    header,
    width: "7rem",
    cell: (session) => <Time value={timeOf(session)} format="relative" />,
  };
}

const TRANSPORT = { stream: "Streamable HTTP", sse: "HTTP+SSE" } as const;

function endColumn(end: (session: McpSession) => void): Column<McpSession> {
  return {
    id: "end",
    header: "End",
    isHeaderHidden: true,
    align: "end",
    width: "5.5rem",
    cell: (session) => (
      <Button
        variant="default"
        size="xs"
        aria-label={`End the session of ${visibleText(session.agent ?? session.clientInfo.name)}`}
        onClick={() => end(session)}
      >
        End
      </Button>
    ),
  };
}
