import { Button } from "@mantine/core";
import { useState } from "react";
import type { BrowserSession } from "../../../lib/management/schemas/browser-sessions.ts";
import { useList } from "../../api/use-list.ts";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { DeviceName, deviceText } from "./device-name.tsx";
import { EndSessionsDialog } from "./end-sessions-dialog.tsx";
import classes from "./sessions-panel.module.css";

/** Where the person is signed in to the Console. */
export function SessionsPanel() {
  const sessions = useList<BrowserSession>("/browser-sessions");
  const [isEnding, setEnding] = useState(false);
  const [ending, setToEnd] = useState<readonly BrowserSession[]>([]);
  const ask = (ended: readonly BrowserSession[]) => {
    setToEnd(ended);
    setEnding(true);
  };
  const others = sessions.items?.filter(({ isCurrent }) => !isCurrent) ?? [];
  return (
    <Panel
      title="Sessions"
      description="Browsers in which you are signed in to this Console."
      flush
      actions={
        others.length > 1 && (
          <Button variant="default" onClick={() => ask(others)}>
            End all others
          </Button>
        )
      }
    >
      <DataState
        data={sessions.items}
        error={sessions.error}
        refetch={sessions.refetch}
        problemTitle="Your sessions could not be read"
      >
        {(items) => (
          <DataTable
            label="Sessions"
            columns={columnsFor((session) => ask([session]))}
            rows={items}
            keyOf={({ sessionId }) => sessionId}
          />
        )}
      </DataState>
      <EndSessionsDialog opened={isEnding} sessions={ending} onClose={() => setEnding(false)} />
    </Panel>
  );
}

const METHODS: Readonly<Record<NonNullable<BrowserSession["method"]>, string>> = {
  link: "One-time link",
  setup: "Setup token",
  passkey: "Passkey",
  connector: "Connected account",
  invitation: "Invitation",
};

function columnsFor(onEnd: (session: BrowserSession) => void): readonly Column<BrowserSession>[] {
  return [
    {
      id: "device",
      header: "Browser",
      isName: true,
      cell: (session) => (
        <span className={classes.device}>
          <DeviceName session={session} />
          {session.isCurrent && <StatusBadge tone="good">This session</StatusBadge>}
        </span>
      ),
    },
    { id: "method", header: "Signed in by", cell: ({ method }) => (method === undefined ? "–" : METHODS[method]) },
    { id: "created", header: "Signed in", cell: ({ createdAt }) => <Time value={createdAt} /> },
    { id: "seen", header: "Last seen", cell: ({ lastSeenAt }) => <Time value={lastSeenAt} format="relative" /> },
    { id: "expires", header: "Ends", cell: ({ expiresAt }) => <Time value={expiresAt} /> },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      width: "5rem",
      align: "end",
      cell: (session) =>
        !session.isCurrent && (
          <Button
            variant="default"
            size="xs"
            aria-label={`End session of ${deviceText(session)}`}
            onClick={() => onEnd(session)}
          >
            End
          </Button>
        ),
    },
  ];
}
