import type { Invitation } from "../../../lib/management/schemas/invitations.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import type { Subject } from "../../parts/use-subject.ts";

export interface RevokeInvitationDialogProps {
  readonly invitation: Subject<Invitation>;
  /** The list no longer says what is. */
  readonly onStale: () => void;
}

export function RevokeInvitationDialog({ invitation, onStale }: RevokeInvitationDialogProps) {
  const announce = useAnnounce();
  const { value, isOpen, close } = invitation;
  const revoke = useSend<undefined, Invitation>(
    ({ invitationId }) => ({ method: "DELETE", path: path`/invitations/${invitationId}` }),
    {
      refreshes: ["/invitations"],
      onDone: () => {
        announce("Invitation revoked");
        close();
      },
    },
  );
  if (value === undefined) return null;
  const leave = () => {
    close();
    revoke.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title="Revoke this invitation?"
      confirmLabel="Revoke invitation"
      isPending={revoke.isPending}
      error={revoke.error}
      problemTitle="The invitation was not revoked"
      onConfirm={() => revoke.mutate(value, { onError: onStale })}
      onClose={leave}
    >
      <p>
        The link for{" "}
        <strong>
          <ForeignText text={value.email} />
        </strong>{" "}
        stops working. Whoever opens it learns that it is gone. Other invitations for the same address go on.
      </p>
    </ConfirmDialog>
  );
}
