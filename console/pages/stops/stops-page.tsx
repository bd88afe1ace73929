import { Button } from "@mantine/core";
import { useState } from "react";
import type { Stop, StopList } from "../../../lib/management/schemas/stops.ts";
import { useRead } from "../../api/use-read.ts";
import { StopIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { type Names, useNames } from "../../parts/use-names.ts";
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
  const names = useNames();
  const stops = useRead<StopList>("/stops");
  const whose = instance?.isFirstOrganization
    ? "Stops hold for the whole instance."
    : "Stops hold for your organization.";
  return (
    <PageFrame
      title="Stops"
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
          data={stops.data?.body.items}
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
          {(items) => (
            <DataTable
              label="What is stopped"
              columns={isOwner ? [...columnsOf(names), resumeColumn(resuming.open)] : columnsOf(names)}
              rows={items}
              keyOf={({ stopId }) => stopId}
            />
          )}
        </DataState>
      </Panel>
      <StopDialog opened={isStopping} onClose={() => setStopping(false)} />
      <ResumeDialog resuming={resuming} />
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
          {KINDS[kind].label} <ForeignText text={names.get(id) ?? id} />
          {issuer !== undefined && (
            <div>
              of <ForeignText text={issuer} />
            </div>
          )}
        </div>
      ),
    },
    {
      id: "state",
      header: "How",
      width: "12rem",
      cell: ({ state }) => (state === "suspended" ? "Suspended" : "Tokens and sessions ended"),
    },
    { id: "reason", header: "Why", cell: ({ reason }) => <ForeignText text={reason} /> },
    { id: "at", header: "Since", width: "7rem", cell: ({ at }) => <Time value={at} format="relative" /> },
  ];
}

function resumeColumn(resume: (stop: Stop) => void): Column<Stop> {
  return {
    id: "resume",
    header: "Resume",
    isHeaderHidden: true,
    align: "end",
    width: "7rem",
    cell: (stop) =>
      stop.state === "ended" ? null : (
        <Button variant="default" size="xs" aria-label={`Resume ${visibleText(stop.id)}`} onClick={() => resume(stop)}>
          Resume
        </Button>
      ),
  };
}
