import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import type { GatewaySettings, LimitSetting } from "../../../lib/management/schemas/gateway-settings.ts";
import type { Answer } from "../../api/request.ts";
import { useRead } from "../../api/use-read.ts";
import { LimitIcon } from "../../icons.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { Panel } from "../../parts/panel.tsx";
import { type Subject, useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { Elsewhere, NoGateway } from "../gateway-settings/gateway-settings-page.tsx";
import { SETTINGS_PATH } from "../gateway-settings/use-settings.ts";
import { LimitDialog } from "./limit-dialog.tsx";
import { aboutText, amountText, joined } from "./limit-texts.ts";
import { useChangedLimits } from "./use-limits.ts";

/** The limits of the instance, which its first organization changes while it runs. */
export function LimitsPage() {
  const { instance, isOwner } = useSession();
  const editing = useSubject<number>();
  const isElsewhere = instance?.isFirstOrganization === false;
  const settings = useRead<GatewaySettings>(SETTINGS_PATH, { enabled: !isElsewhere });
  if (isElsewhere || settings.error?.status === 403) return <Frame content={<Elsewhere />} />;
  if (settings.error?.status === 404) return <Frame content={<NoGateway detail={settings.error.detail} />} />;
  return (
    <Frame
      actions={isOwner && settings.data && <Button onClick={() => editing.open(-1)}>Add a limit</Button>}
      content={
        <DataState
          data={settings.data}
          error={settings.error}
          refetch={() => void settings.refetch()}
          problemTitle="The limits could not be read"
        >
          {(latest) => <Limits latest={latest} editing={editing} />}
        </DataState>
      }
    />
  );
}

function Frame({ content, actions }: { readonly content: ReactNode; readonly actions?: ReactNode }) {
  return (
    <PageFrame
      title="Limits"
      term="limit"
      description="How much each caller may use. All limits that fit a call apply; who is above one gets 429 and the time to come again."
      actions={actions}
    >
      {content}
    </PageFrame>
  );
}

/** A limit and its place. */
interface Row {
  readonly limit: LimitSetting;
  readonly index: number;
}

function Limits({ latest, editing }: { readonly latest: Answer<GatewaySettings>; readonly editing: Subject<number> }) {
  const { isOwner } = useSession();
  const removing = useSubject<Row>();
  const reset = useSubject<true>();
  const { value, origin, configured } = latest.body.settings.limits;
  const remove = useChangedLimits(latest, removing.close);
  const back = useChangedLimits(latest, reset.close);
  const rows = value.map((limit, index) => ({ limit, index }));
  const columns = isOwner ? [...COLUMNS, actionsColumn(editing.open, removing.open)] : COLUMNS;
  const isSet = origin === "console";
  return (
    <>
      <Panel
        flush
        title="Limits in use"
        term="override"
        description={
          isSet
            ? "Set in the Console. Those of the configuration file do not count."
            : "From the configuration file. A change here takes the place of all of them."
        }
        actions={
          isSet &&
          isOwner && (
            <Button variant="default" size="xs" onClick={() => reset.open(true)}>
              Back to the configuration file
            </Button>
          )
        }
      >
        {rows.length === 0 ? (
          <EmptyState icon={<LimitIcon size={20} />} title="No limits of your own">
            Only the limits that are always there hold: for token requests, registrations, sign-in, exports and denied
            calls.
          </EmptyState>
        ) : (
          <DataTable label="Limits in use" columns={columns} rows={rows} keyOf={({ limit }) => limit.name} />
        )}
      </Panel>
      <LimitDialog latest={latest} editing={editing} />
      <ConfirmDialog
        opened={removing.isOpen}
        title="Remove this limit?"
        confirmLabel="Remove limit"
        isPending={remove.isPending}
        error={remove.error}
        problemTitle="The limit was not removed"
        onConfirm={() => remove.mutate(value.toSpliced(removing.value?.index ?? value.length, 1))}
        onClose={removing.close}
      >
        <p>
          <ForeignText text={removing.value?.limit.name ?? ""} /> holds no more within 5 seconds.
        </p>
      </ConfirmDialog>
      <ConfirmDialog
        opened={reset.isOpen}
        title="Back to the limits of the configuration file?"
        confirmLabel="Use the file's limits"
        isPending={back.isPending}
        error={back.error}
        problemTitle="The limits were not changed"
        onConfirm={() => back.mutate(null)}
        onClose={reset.close}
      >
        <p>
          The {value.length} that were set here are gone then. The file has {configured.length}.
        </p>
      </ConfirmDialog>
    </>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "name", header: "Name", isName: true, cell: ({ limit }) => <ForeignText text={limit.name} /> },
  { id: "about", header: "About", cell: ({ limit }) => <ForeignText text={aboutText(limit)} /> },
  {
    id: "per",
    header: "Counted by",
    width: "9rem",
    cell: ({ limit }) => <ForeignText text={joined(limit.per) || "default"} />,
  },
  { id: "amount", header: "At most", width: "14rem", cell: ({ limit }) => <ForeignText text={amountText(limit)} /> },
];

function actionsColumn(edit: (index: number) => void, remove: (row: Row) => void): Column<Row> {
  return {
    id: "actions",
    header: "Change",
    isHeaderHidden: true,
    align: "end",
    width: "12rem",
    cell: (row) => (
      <Button.Group>
        <Button
          variant="default"
          size="xs"
          aria-label={`Change ${visibleText(row.limit.name)}`}
          onClick={() => edit(row.index)}
        >
          Change
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={`Remove ${visibleText(row.limit.name)}`}
          onClick={() => remove(row)}
        >
          Remove
        </Button>
      </Button.Group>
    ),
  };
}
