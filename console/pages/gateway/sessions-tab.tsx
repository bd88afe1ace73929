import { Button } from "@mantine/core";
import { Link } from "wouter";
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
import { useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { EndSessionDialog } from "./end-session-dialog.tsx";
import classes from "./sessions-tab.module.css";

/** Live sessions of the organization's agents. */
export function SessionsTab({ sessions }: { readonly sessions: List<McpSession> }) {
  const { isOwner } = useSession();
  const ending = useSubject<McpSession>();
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
            columns={isOwner ? [...COLUMNS, endColumn(ending.open)] : COLUMNS}
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

const COLUMNS: readonly Column<McpSession>[] = [
  { id: "agent", header: "Agent", isName: true, cell: (session) => <Agent session={session} /> },
  {
    id: "user",
    header: "Person",
    width: "18%",
    cell: ({ user }) => (user === undefined ? "–" : <ForeignText text={user} />),
  },
  {
    id: "started",
    header: "Started",
    width: "8.5rem",
    cell: ({ startedAt }) => <Time value={startedAt} format="relative" />,
  },
  {
    id: "seen",
    header: "Last seen",
    width: "8.5rem",
    cell: ({ lastSeenAt }) => <Time value={lastSeenAt} format="relative" />,
  },
  {
    id: "expires",
    header: "Ends if idle",
    width: "8.5rem",
    cell: ({ expiresAt }) => <Time value={expiresAt} format="relative" />,
  },
  {
    id: "protocol",
    header: "Protocol",
    width: "9rem",
    cell: ({ protocolVersion, transport }) => (
      <>
        <div>{protocolVersion}</div>
        <div className={classes.soft}>{TRANSPORT[transport]}</div>
      </>
    ),
  },
];

const TRANSPORT = { stream: "Streamable HTTP", sse: "HTTP+SSE" } as const;

function Agent({ session: { agent, clientInfo } }: { readonly session: McpSession }) {
  const software = [clientInfo.name, clientInfo.version].filter(Boolean).join(" ");
  return (
    <>
      {agent === undefined ? (
        <span>Nobody is authenticated</span>
      ) : agent.startsWith("client_") ? (
        <Link href={`/api-clients/${encodeURIComponent(agent)}`}>{agent}</Link>
      ) : (
        <ForeignText text={agent} />
      )}
      {software !== "" && (
        <div className={classes.soft}>
          <ForeignText text={software} />
        </div>
      )}
    </>
  );
}

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
