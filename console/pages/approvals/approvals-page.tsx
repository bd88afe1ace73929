import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { Approval } from "../../../lib/management/schemas/approvals.ts";
import { useFilledList } from "../../api/use-filled-list.ts";
import { ApprovalIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Named } from "../../parts/named.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { StatusBadge } from "../../parts/status-badge.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, useNames } from "../../parts/use-names.ts";
import { useSession } from "../../session/context.ts";
import { type ApprovalState, STATE_ORDER, STATES } from "./approval-states.ts";

const REFRESH = 10_000;

/** Calls that wait for a person's approval, and what became of earlier ones. */
export function ApprovalsPage() {
  const { isOwner } = useSession();
  const [state, setState] = useState<ApprovalState | "">("pending");
  const whose = isOwner ? "All of your organization." : "Those of your own agents, and those that you may decide on.";
  return (
    <PageFrame
      title="Approvals"
      term="approval"
      description="Calls of agents that are made only after a person has approved them."
    >
      <Panel
        flush
        title="Calls"
        description={`${whose} Newest first.`}
        actions={
          <NativeSelect
            aria-label="State"
            value={state}
            data={[...STATE_ORDER.map((value) => ({ value, label: STATES[value].label })), ANY]}
            onChange={(event) => setState(event.currentTarget.value as ApprovalState | "")}
          />
        }
      >
        <ApprovalList key={state} state={state} />
      </Panel>
    </PageFrame>
  );
}

const ANY = { value: "", label: "All states" };

function ApprovalList({ state }: { readonly state: ApprovalState | "" }) {
  const names = useNames();
  const approvals = useFilledList<Approval>("/approvals", { query: { state, limit: 50 }, refetchInterval: REFRESH });
  return (
    <>
      <DataState
        data={approvals.items}
        error={approvals.error}
        refetch={approvals.refetch}
        problemTitle="The approvals could not be read"
        empty={
          <EmptyState
            icon={<ApprovalIcon size={20} />}
            title={state === "pending" ? "No call waits" : "There is no such call"}
          >
            When an agent makes a call that a rule of the configuration has people approve, it is listed here, and the
            agent shows a link to it.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable label="Approvals" columns={columnsOf(names)} rows={items} keyOf={({ approvalId }) => approvalId} />
        )}
      </DataState>
      <LoadMore list={approvals} noun="approvals" />
    </>
  );
}

function columnsOf(names: Names): readonly Column<Approval>[] {
  return [
    {
      id: "call",
      header: "Call",
      isName: true,
      cell: ({ approvalId, app, tool }) => (
        <Link href={`/approvals/${approvalId}`}>
          <ForeignText text={app} /> <ForeignText text={tool} />
        </Link>
      ),
    },
    {
      id: "person",
      header: "Person",
      cell: ({ person }) => (person === undefined ? <span>–</span> : <Named id={person} names={names} />),
    },
    {
      id: "agent",
      header: "Agent",
      cell: ({ agent }) => (agent === undefined ? <span>–</span> : <Named id={agent} names={names} />),
    },
    {
      id: "state",
      header: "State",
      width: "7rem",
      cell: ({ state }) => <StatusBadge tone={STATES[state].tone}>{STATES[state].label}</StatusBadge>,
    },
    {
      id: "asked",
      header: "Asked",
      width: "7rem",
      cell: ({ requestedAt }) => <Time value={requestedAt} format="relative" />,
    },
    {
      id: "ends",
      header: "Ends",
      width: "7rem",
      cell: ({ state, expiresAt }) => <Time value={state === "consumed" ? undefined : expiresAt} format="relative" />,
    },
  ];
}
