import { Button } from "@mantine/core";
import { useState } from "react";
import type { Stop, StopList } from "../../../lib/management/schemas/stops.ts";
import { useRead } from "../../api/use-read.ts";
import { StopIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Named } from "../../parts/named.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useKnownNames } from "../../parts/use-known-names.ts";
import type { Names } from "../../parts/use-names.ts";
import { useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { ResumeDialog } from "./resume-dialog.tsx";
import { StopDialog } from "./stop-dialog.tsx";
import { KINDS } from "./stop-kinds.ts";

/** What is stopped, and the switch that stops more. */
export function StopsPage() {
  const { instance, isOwner } = useSession();
  const [isStopping, setStopping] = useState(false);
  const resuming = useSubject<Stop>();
  const stops = useRead<StopList>("/stops");
  const items = stops.data?.body.items;
  const names = useKnownNames(items?.filter(({ kind }) => kind === "agent" || kind === "person").map(({ id }) => id));
  const ended = items?.filter(({ state }) => state === "ended") ?? [];
  const whose = instance?.isFirstOrganization
    ? "Stops hold for the whole instance."
    : "Stops hold for your organization.";
  return (
    <PageFrame
      title="Stops"
      term="stop"
      description={`Who and what is stopped when something is wrong. ${whose}`}
      actions={
        isOwner && (
          <Button color="red" leftSection={<StopIcon />} onClick={() => setStopping(true)}>
            Stop something
          </Button>
        )
      }
    >
      <Panel flush title="What is stopped" description="Newest first.">
        <DataState
          data={items?.filter(({ state }) => state === "suspended")}
          error={stops.error}
          refetch={() => void stops.refetch()}
          problemTitle="The stops could not be read"
          empty={
            <EmptyState icon={<StopIcon size={20} />} title="Nothing is stopped">
              When an agent, a person or an app does harm, an owner stops it here: its tokens are refused from the next
              request on.
            </EmptyState>
          }
        >
          {(found) => (
            <DataTable
              label="What is stopped"
              columns={isOwner ? [...columnsOf(names), resumeColumn(names, resuming.open)] : columnsOf(names)}
              rows={found}
              keyOf={({ stopId }) => stopId}
            />
          )}
        </DataState>
      </Panel>
      {ended.length > 0 && (
        <Panel
          flush
          title="Ended tokens and sessions"
          description="These may go on: they were resumed, or their tokens and sessions alone were ended. What they had before is refused."
        >
          <DataTable
            label="Ended tokens and sessions"
            columns={columnsOf(names)}
            rows={ended}
            keyOf={({ stopId }) => stopId}
          />
        </Panel>
      )}
      <StopDialog opened={isStopping} onClose={() => setStopping(false)} />
      <ResumeDialog resuming={resuming} names={names} />
    </PageFrame>
  );
}

function columnsOf(names: Names): readonly Column<Stop>[] {
  return [
    {
      id: "what",
      header: "What",
      isName: true,
      cell: ({ kind, id, issuer }) => (
        <div>
          <div>{KINDS[kind].label}</div>
          <Named id={id} names={names} />
          {issuer !== undefined && (
            <div>
              of <ForeignText text={issuer} />
            </div>
          )}
        </div>
      ),
    },
    { id: "reason", header: "Why", cell: ({ reason }) => <ForeignText text={reason} /> },
    { id: "at", header: "Since", width: "7rem", cell: ({ at }) => <Time value={at} format="relative" /> },
  ];
}

function resumeColumn(names: Names, resume: (stop: Stop) => void): Column<Stop> {
  return {
    id: "resume",
    header: "Resume",
    isHeaderHidden: true,
    align: "end",
    width: "7rem",
    cell: (stop) => (
      <Button
        variant="default"
        size="xs"
        aria-label={`Resume ${visibleText(names.get(stop.id) ?? stop.id)}`}
        onClick={() => resume(stop)}
      >
        Resume
      </Button>
    ),
  };
}
