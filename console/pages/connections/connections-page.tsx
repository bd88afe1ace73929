import type { Connection } from "../../../lib/management/schemas/connections.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import type { List } from "../../api/use-list.ts";
import { PlugIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useKnownNames } from "../../parts/use-known-names.ts";
import { type Subject, useSubject } from "../../parts/use-subject.ts";
import { everyonesColumns, ownColumns } from "./connection-columns.tsx";
import { DisconnectDialog } from "./disconnect-dialog.tsx";

/** Accounts at providers that calls of agents use: the person's own, and for owners those of everybody in the organization. */
export function ConnectionsPage() {
  const disconnecting = useSubject<Connection>();
  return (
    <PageFrame
      title="Connections"
      term="connection"
      description="Accounts at providers such as GitHub or Slack that agents use on behalf of people. Nobody sees the tokens."
    >
      <OwnConnections disconnecting={disconnecting} />
      <OwnersOnly>
        <EveryonesConnections disconnecting={disconnecting} />
      </OwnersOnly>
      <DisconnectDialog connection={disconnecting} />
    </PageFrame>
  );
}

interface ConnectionsProps {
  readonly disconnecting: Subject<Connection>;
}

function OwnConnections({ disconnecting }: ConnectionsProps) {
  const connections = useFilledList<Connection>("/connections");
  const names = useKnownNames(connections.items?.flatMap(({ agent = [] }) => agent));
  return (
    <Panel flush title="Your connections" description="Made with the accounts that sign you in. Newest first.">
      <DataState
        {...stateOf(connections)}
        problemTitle="Your connections could not be read"
        empty={
          <EmptyState icon={<PlugIcon size={20} />} title="You have no connections">
            A connection lets an app call a provider with your own account there. When an agent calls such an app for
            you the first time, it shows you a link. Open the link, agree, and the connection is listed here.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Your connections"
            columns={ownColumns(names, disconnecting.open)}
            rows={items}
            keyOf={({ connectionId }) => connectionId}
          />
        )}
      </DataState>
      <LoadMore list={connections} noun="connections" />
    </Panel>
  );
}

function EveryonesConnections({ disconnecting }: ConnectionsProps) {
  const connections = useFilledList<Connection>("/connections", { query: { everyone: true, limit: 50 } });
  const names = useKnownNames(connections.items?.flatMap(({ agent = [], person }) => [person, agent].flat()));
  return (
    <Panel
      flush
      title="Everybody's connections"
      description="Of all people in your organization. Only owners see this."
    >
      <DataState
        {...stateOf(connections)}
        problemTitle="The connections could not be read"
        empty={
          <EmptyState icon={<PlugIcon size={20} />} title="Nobody has a connection">
            People connect their accounts when their agents call an app that needs one. Which apps do is in the
            configuration of the instance.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Everybody's connections"
            columns={everyonesColumns(names, disconnecting.open)}
            rows={items}
            keyOf={({ connectionId }) => connectionId}
          />
        )}
      </DataState>
      <LoadMore list={connections} noun="connections" />
    </Panel>
  );
}

function stateOf({ items, error, refetch }: List<Connection>) {
  return { data: items, error, refetch };
}
