import { Button } from "@mantine/core";
import type { AppPins, PinList } from "../../../lib/management/schemas/pins.ts";
import { useRead } from "../../api/use-read.ts";
import { GatewayIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { ForgetDialog } from "./forget-dialog.tsx";
import { HeldToolDialog } from "./held-tool-dialog.tsx";
import type { Forgetting, HeldVersion } from "./held-version.ts";

/** Apps that pin their tools, and versions that wait for an owner. */
export function PinsPage() {
  const looking = useSubject<HeldVersion>();
  const forgetting = useSubject<Forgetting & Pick<AppPins, "first">>();
  const pins = useRead<PinList>("/pins");
  return (
    <PageFrame
      title="Held tools"
      term="pin"
      description="Tools that are new or have changed. Agents neither see nor call them until an owner approves them."
    >
      <DataState
        data={pins.data?.body.items}
        error={pins.error}
        refetch={() => void pins.refetch()}
        problemTitle="The held tools could not be read"
        empty={
          <Panel>
            <EmptyState icon={<GatewayIcon size={20} />} title="No app pins its tools">
              With pins in the configuration of an app, agents get its tools as they were approved.
            </EmptyState>
          </Panel>
        }
      >
        {(items) =>
          items.map((pinned) => (
            <AppPanel key={pinned.app} pinned={pinned} onLook={looking.open} onForget={forgetting.open} />
          ))
        }
      </DataState>
      <HeldToolDialog looking={looking} />
      <ForgetDialog forgetting={forgetting} />
    </PageFrame>
  );
}

interface AppPanelProps {
  readonly pinned: AppPins;
  readonly onLook: (version: HeldVersion) => void;
  readonly onForget: (forgetting: Forgetting & Pick<AppPins, "first">) => void;
}

function AppPanel({ pinned, onLook, onForget }: AppPanelProps) {
  const { isOwner } = useSession();
  const { app, first, firstAt, tools, held } = pinned;
  const isKnown = firstAt !== undefined || held.length > 0;
  const forget = (tool?: string) => onForget({ app, first, ...(tool !== undefined && { tool }) });
  return (
    <Panel
      flush
      title={<ForeignText text={app} />}
      description={firstAt === undefined ? "Its tools were not listed yet." : `Approved tools: ${tools}.`}
      actions={
        isOwner &&
        isKnown && (
          <Button
            variant="default"
            size="xs"
            aria-label={`Forget all tools of ${visibleText(app)}`}
            onClick={() => forget()}
          >
            Forget all
          </Button>
        )
      }
    >
      {held.length === 0 ? (
        <EmptyState icon={<GatewayIcon size={20} />} title="Nothing is held">
          When a tool of this app is new or changes, it is listed here.
        </EmptyState>
      ) : (
        <DataTable
          label={`Held tools of ${visibleText(app)}`}
          columns={[...COLUMNS, actionsColumn(held, onLook, isOwner ? forget : undefined)]}
          rows={held.map((version) => ({ ...version, app }))}
          keyOf={({ tool, digest }) => `${tool} ${digest}`}
        />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<HeldVersion>[] = [
  { id: "tool", header: "Tool", isName: true, cell: ({ tool }) => <ForeignText text={tool} /> },
  { id: "why", header: "Why", width: "7rem", cell: ({ why }) => (why === "new" ? "New" : "Changed") },
  { id: "at", header: "Since", width: "7rem", cell: ({ at }) => <Time value={at} format="relative" /> },
  {
    id: "state",
    header: "State",
    width: "7rem",
    cell: ({ refused }) => (refused === undefined ? "Held" : "Refused"),
  },
];

/**
 * @param held of a tool that has several versions, the buttons name the digest
 * @param forget absent: the person is no owner
 */
function actionsColumn(
  held: AppPins["held"],
  onLook: (version: HeldVersion) => void,
  forget?: (tool: string) => void,
): Column<HeldVersion> {
  const nameOf = ({ tool, digest }: HeldVersion): string =>
    held.filter((other) => other.tool === tool).length > 1
      ? `${visibleText(tool)}, version ${digest.slice(0, 8)}`
      : visibleText(tool);
  return {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    align: "end",
    width: "12rem",
    cell: (version) => (
      <Button.Group style={{ justifyContent: "flex-end" }}>
        <Button variant="default" size="xs" aria-label={`Compare ${nameOf(version)}`} onClick={() => onLook(version)}>
          Compare
        </Button>
        {forget && (
          <Button
            variant="default"
            size="xs"
            aria-label={`Forget ${visibleText(version.tool)}`}
            onClick={() => forget(version.tool)}
          >
            Forget
          </Button>
        )}
      </Button.Group>
    ),
  };
}
