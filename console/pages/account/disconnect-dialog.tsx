import type { Identity } from "../../../lib/management/schemas/identities.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { Subject } from "../../parts/use-subject.ts";

export interface DisconnectDialogProps {
  readonly account: Subject<Identity>;
  /** The list no longer says what is. */
  readonly onStale: () => void;
}

export function DisconnectDialog({ account, onStale }: DisconnectDialogProps) {
  const announce = useAnnounce();
  const { value, isOpen, close } = account;
  const disconnect = useSend<undefined, Identity>(
    ({ connector, subject }) => ({ method: "DELETE", path: path`/identities/${connector}`, query: { subject } }),
    {
      refreshes: ["/identities"],
      onDone: () => {
        announce("Account disconnected");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const leave = () => {
    close();
    disconnect.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title="Disconnect this account?"
      confirmLabel="Disconnect account"
      isPending={disconnect.isPending}
      error={disconnect.error}
      problemTitle="The account was not disconnected"
      onConfirm={() => disconnect.mutate(value, { onError: onStale })}
      onClose={leave}
    >
      <p>
        You can no longer sign in with{" "}
        <strong>
          <ForeignText text={value.label ?? value.subject} />
        </strong>{" "}
        through <ForeignText text={value.connector} />. The account itself stays, and so do sessions that it began here.
      </p>
    </ConfirmDialog>
  );
}
