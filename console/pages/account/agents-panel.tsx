import { Link } from "wouter";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import { useList } from "../../api/use-list.ts";
import { LinkIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { ownColumns } from "../connected-agents/agent-columns.tsx";
import { EndAgentDialog } from "../connected-agents/end-agent-dialog.tsx";

/** Agents that the person allowed to act for them, and how that ends. */
export function AgentsPanel() {
  const { items, error, refetch } = useList<ConnectedAgent>("/connected-agents");
  const ending = useSubject<ConnectedAgent>();
  return (
    <Panel
      flush
      title="Connected agents"
      term="agent"
      description="Agents that you allowed to act for you. Their names are their own words; nobody here has checked them."
      footer={
        <p>
          Accounts at other services that agents use for you: see <Link href="/connections">Connections</Link>.
        </p>
      }
    >
      <DataState
        {...{ data: items, error, refetch }}
        problemTitle="Your agents could not be read"
        empty={
          <EmptyState icon={<LinkIcon size={20} />} title="No connected agents">
            When you sign in for an agent with one of your connected accounts and agree to what it may do, it is listed
            here.
          </EmptyState>
        }
      >
        {(found) => (
          <DataTable
            label="Connected agents"
            columns={ownColumns(ending.open)}
            rows={found}
            keyOf={({ user, client }) => `${user} ${client}`}
          />
        )}
      </DataState>
      <EndAgentDialog agent={ending} onStale={refetch} />
    </Panel>
  );
}
