import type { Connection } from "../../../lib/management/schemas/connections.ts";
import type { ConnectedAgent } from "../../../lib/management/schemas/consents.ts";
import type { Stop, StopList } from "../../../lib/management/schemas/stops.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import { useList } from "../../api/use-list.ts";
import { useRead } from "../../api/use-read.ts";
import { LinkIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { LinkButton } from "../../parts/link-button.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { useNames } from "../../parts/use-names.ts";
import { useSubject } from "../../parts/use-subject.ts";
import { ResumeDialog } from "../stops/resume-dialog.tsx";
import { StopDialog } from "../stops/stop-dialog.tsx";
import { everyonesColumns, nameOf } from "./agent-columns.tsx";
import { EndAgentDialog } from "./end-agent-dialog.tsx";

/** Agents that people of the organization allowed something. Each person finds their own on the page of their account. */
export function ConnectedAgentsPage() {
  return (
    <PageFrame
      title="Connected agents"
      term="delegationToken"
      description="Agents that people signed in for. Agents that sign people in elsewhere, and API clients, are not listed here."
    >
      <OwnersOnly instead={<YourOwn />}>
        <EveryonesAgents />
      </OwnersOnly>
    </PageFrame>
  );
}

function YourOwn() {
  return (
    <Panel>
      <EmptyState
        icon={<LinkIcon size={20} />}
        title="Only owners see the agents of everybody"
        action={
          <LinkButton href="/account" variant="default">
            Your account
          </LinkButton>
        }
      >
        Your own are on the page of your account.
      </EmptyState>
    </Panel>
  );
}

function EveryonesAgents() {
  const names = useNames();
  const ending = useSubject<ConnectedAgent>();
  const stopping = useSubject<ConnectedAgent>();
  const agents = useFilledList<ConnectedAgent>("/connected-agents", { query: { everyone: true, limit: 50 } });
  const { items, error, refetch } = agents;
  const resuming = useSubject<Stop>();
  const stops = useRead<StopList>("/stops").data?.body.items ?? [];
  const stopOf = ({ client }: ConnectedAgent) => stops.find((stop) => isSuspension(stop, client));
  const ofMany = { query: { everyone: true, limit: 200 } };
  const connections = useList<Connection>("/connections", ofMany).items ?? [];
  // One that names no agent is for all of the person's.
  const accountsOf = ({ user, client }: ConnectedAgent) =>
    connections.filter(({ person, agent }) => person === user && (agent === undefined || agent === client));
  const agentNames = new Map((items ?? []).map((agent) => [agent.client, nameOf(agent)]));
  return (
    <Panel
      flush
      title="Everybody's agents"
      description="End takes back what one person allowed: the agent has to ask them again. Stop keeps the agent out for everybody until an owner resumes it."
    >
      <DataState
        {...{ data: items, error, refetch }}
        problemTitle="The agents could not be read"
        empty={
          <EmptyState icon={<LinkIcon size={20} />} title="Nobody has connected an agent">
            Agents are listed here when a person has signed in for them and agreed to what they may do.
          </EmptyState>
        }
      >
        {(found) => (
          <DataTable
            label="Everybody's agents"
            columns={everyonesColumns(names, {
              stopOf,
              accountsOf,
              onEnd: ending.open,
              onStop: stopping.open,
              onResume: resuming.open,
            })}
            rows={found}
            keyOf={({ user, client }) => `${user} ${client}`}
          />
        )}
      </DataState>
      <LoadMore list={agents} noun="agents" />
      <EndAgentDialog agent={ending} onStale={refetch} />
      <StopDialog
        opened={stopping.isOpen}
        onClose={stopping.close}
        {...(stopping.value && {
          target: { kind: "agent", id: stopping.value.client, name: nameOf(stopping.value) },
        })}
      />
      <ResumeDialog resuming={resuming} names={agentNames} />
    </Panel>
  );
}

/** Of the agent itself, with tokens of this instance. */
function isSuspension({ kind, id, issuer, state }: Stop, client: string): boolean {
  return kind === "agent" && id === client && issuer === undefined && state === "suspended";
}
