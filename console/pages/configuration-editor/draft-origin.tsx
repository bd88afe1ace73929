import { Button } from "@mantine/core";
import { useState } from "react";
import type { ConfigurationDocument } from "../../../lib/management/schemas/deployment.ts";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Note } from "../../parts/note.tsx";
import type { DraftState } from "./use-draft.ts";

export interface DraftOriginProps {
  readonly draft: DraftState;
  readonly inUse: ConfigurationDocument | undefined;
  /** The draft is gone: the editor begins with what is in use. */
  readonly onDiscarded: () => void;
}

/** Says that the text is the draft of all owners, and whether what it was begun with is still in use. */
export function DraftOrigin({ draft, inUse, onDiscarded }: DraftOriginProps) {
  const [isAsking, setAsking] = useState(false);
  const { latest } = draft;
  const close = () => setAsking(false);
  const isBehind = latest?.basedOn !== undefined && latest.basedOn !== inUse?.revision;
  return (
    <>
      {latest !== undefined && (
        <Note
          tone={isBehind ? "warn" : "info"}
          title="This is the draft that owners share"
          actions={
            <Button size="xs" variant="default" onClick={() => setAsking(true)}>
              Discard draft
            </Button>
          }
        >
          {isBehind &&
            `It was begun with revision ${latest.basedOn}, and another one is in use now. Compare shows what publishing it would take back.`}
        </Note>
      )}
      <ConfirmDialog
        opened={isAsking}
        title="Discard the draft?"
        confirmLabel="Discard draft"
        isPending={draft.isDiscarding}
        error={draft.discardError}
        problemTitle="The draft was not discarded"
        onConfirm={() =>
          draft.discard(() => {
            close();
            onDiscarded();
          })
        }
        onClose={close}
      >
        <p>It is gone for all owners. The editor begins again with what is in use.</p>
      </ConfirmDialog>
    </>
  );
}
