import { Button } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { Identity } from "../../../lib/management/schemas/identities.ts";
import type { SignInWays } from "../../../lib/management/schemas/sign-in.ts";
import type { ApiProblem } from "../../api/problem.ts";
import type { Answer } from "../../api/request.ts";
import type { List } from "../../api/use-list.ts";
import { LinkIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { useConnectorSignIn } from "../../sign-in/use-connector-sign-in.ts";
import classes from "./accounts-panel.module.css";
import { ConnectButtons } from "./connect-buttons.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";

export interface AccountsPanelProps {
  readonly accounts: List<Identity>;
  /** Says which connectors people sign in with. */
  readonly ways: UseQueryResult<Answer<SignInWays>, ApiProblem>;
}

/** Accounts at identity providers that sign the person in. Not there where the instance has no connectors. */
export function AccountsPanel({ accounts, ways }: AccountsPanelProps) {
  const connectors = ways.data?.body.connectors;
  const disconnecting = useSubject<Identity>();
  const begin = useConnectorSignIn();
  if (connectors?.length === 0 && accounts.items?.length === 0) return null;
  return (
    <Panel
      title="Connected accounts"
      term="connector"
      flush
      actions={
        connectors !== undefined && connectors.length > 0 && <ConnectButtons connectors={connectors} begin={begin} />
      }
    >
      <div className={classes.problems}>
        <ProblemNote error={begin.error} title="Connecting could not begin" />
        <ProblemNote
          error={ways.error}
          title="The ways to sign in could not be read"
          onRetry={() => void ways.refetch()}
        />
      </div>
      <DataState
        data={accounts.items}
        error={accounts.error}
        refetch={accounts.refetch}
        problemTitle="Your accounts could not be read"
        empty={
          <EmptyState icon={<LinkIcon size={20} />} title="No connected accounts">
            Connect your account at an identity provider, and it signs you in here.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Connected accounts"
            columns={columnsFor(connectors, disconnecting.open)}
            rows={items}
            keyOf={({ connector, subject }) => JSON.stringify([connector, subject])}
          />
        )}
      </DataState>
      <DisconnectDialog account={disconnecting} onStale={accounts.refetch} />
    </Panel>
  );
}

/** What the person knows the account by. */
export function nameOfAccount({ label, subject }: Identity): string {
  return label ?? subject;
}

function columnsFor(
  connectors: readonly string[] | undefined,
  onDisconnect: (account: Identity) => void,
): readonly Column<Identity>[] {
  return [
    {
      id: "account",
      header: "Account",
      isName: true,
      cell: (account) => <ForeignText text={nameOfAccount(account)} />,
    },
    {
      id: "connector",
      header: "Connector",
      cell: ({ connector }) => (
        <>
          <ForeignText text={connector} />
          {connectors !== undefined && !connectors.includes(connector) && ", which signs nobody in any more"}
        </>
      ),
    },
    { id: "created", header: "Connected", cell: ({ createdAt }) => <Time value={createdAt} format="date" /> },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      width: "8rem",
      align: "end",
      cell: (account) => (
        <Button
          variant="default"
          size="xs"
          aria-label={`Disconnect ${visibleText(nameOfAccount(account))}`}
          onClick={() => onDisconnect(account)}
        >
          Disconnect
        </Button>
      ),
    },
  ];
}
