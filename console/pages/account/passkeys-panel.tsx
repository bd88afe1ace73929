import { Button } from "@mantine/core";
import { useState } from "react";
import type { Passkey } from "../../../lib/management/schemas/passkeys.ts";
import type { List } from "../../api/use-list.ts";
import { PasskeyIcon, PlusIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { supportsPasskeys } from "../../passkeys/ceremonies.ts";
import { AddPasskeyDialog } from "./add-passkey-dialog.tsx";
import { RemovePasskeyDialog } from "./remove-passkey-dialog.tsx";

export interface PasskeysPanelProps {
  readonly passkeys: List<Passkey>;
  /** Nobody signs in to this instance with passkeys. */
  readonly isOff: boolean;
}

/** The person's passkeys. Where there are none to be had, it says why. */
export function PasskeysPanel({ passkeys, isOff }: PasskeysPanelProps) {
  const [isAdding, setAdding] = useState(false);
  const removing = useSubject<Passkey>();
  if (isOff && passkeys.items?.length === 0) return null;
  const canAdd = !isOff && supportsPasskeys();
  return (
    <Panel
      title="Passkeys"
      flush
      actions={
        canAdd && (
          <Button leftSection={<PlusIcon />} onClick={() => setAdding(true)}>
            Add passkey
          </Button>
        )
      }
      footer={isOff ? OFF : !supportsPasskeys() && UNSUPPORTED}
    >
      <DataState
        data={passkeys.items}
        error={passkeys.error}
        refetch={passkeys.refetch}
        problemTitle="Your passkeys could not be read"
        empty={
          <EmptyState icon={<PasskeyIcon size={20} />} title="No passkeys yet">
            With a passkey you sign in by the fingerprint, face or PIN of your device, or by a security key.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Passkeys"
            columns={columnsFor(removing.open)}
            rows={items}
            keyOf={({ passkeyId }) => passkeyId}
          />
        )}
      </DataState>
      <AddPasskeyDialog opened={isAdding} onClose={() => setAdding(false)} />
      <RemovePasskeyDialog passkey={removing} onStale={passkeys.refetch} />
    </Panel>
  );
}

const OFF = "Nobody signs in to this instance with passkeys any more. These open nothing.";
const UNSUPPORTED = "This browser has no passkeys. Open this page in another one to add one.";

function columnsFor(onRemove: (passkey: Passkey) => void): readonly Column<Passkey>[] {
  return [
    { id: "name", header: "Name", isName: true, cell: ({ name }) => <ForeignText text={name} /> },
    {
      id: "kept",
      header: "Kept",
      cell: ({ isBackedUp }) => (isBackedUp ? "Beyond one device" : "On one device"),
    },
    { id: "created", header: "Added", cell: ({ createdAt }) => <Time value={createdAt} format="date" /> },
    { id: "used", header: "Last used", cell: ({ lastUsedAt }) => <Time value={lastUsedAt} fallback="Never" /> },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      width: "6rem",
      align: "end",
      cell: (passkey) => (
        <Button
          variant="default"
          size="xs"
          aria-label={`Remove passkey ${visibleText(passkey.name)}`}
          onClick={() => onRemove(passkey)}
        >
          Remove
        </Button>
      ),
    },
  ];
}
