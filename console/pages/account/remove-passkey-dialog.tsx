import type { Passkey } from "../../../lib/management/schemas/passkeys.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { Subject } from "../../parts/use-subject.ts";

export interface RemovePasskeyDialogProps {
  readonly passkey: Subject<Passkey>;
  /** The list no longer says what is. */
  readonly onStale: () => void;
}

export function RemovePasskeyDialog({ passkey, onStale }: RemovePasskeyDialogProps) {
  const announce = useAnnounce();
  const { value, isOpen, close } = passkey;
  const remove = useSend<undefined, Passkey>(
    ({ passkeyId }) => ({ method: "DELETE", path: path`/passkeys/${passkeyId}` }),
    {
      refreshes: ["/passkeys"],
      onDone: () => {
        announce("Passkey removed");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const leave = () => {
    close();
    remove.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title="Remove this passkey?"
      confirmLabel="Remove passkey"
      isPending={remove.isPending}
      error={remove.error}
      problemTitle="The passkey was not removed"
      onConfirm={() => remove.mutate(value, { onError: onStale })}
      onClose={leave}
    >
      <p>
        You can no longer sign in with{" "}
        <strong>
          <ForeignText text={value.name} />
        </strong>
        . Sessions that began with it go on: if the device was lost, end them, too.
      </p>
      <p>Your device still offers it until you delete it there.</p>
    </ConfirmDialog>
  );
}
