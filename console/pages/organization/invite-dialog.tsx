import type { CreatedInvitation, NewInvitation } from "../../../lib/management/schemas/invitations.ts";
import { useSend } from "../../api/use-send.ts";
import { FormDialog } from "../../parts/form-dialog.tsx";
import { InvitationLink } from "./invitation-link.tsx";
import { InviteForm } from "./invite-form.tsx";

export interface InviteDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** Asks whom to invite, then shows the link, which nothing shows again: from there on it closes by its button alone. */
export function InviteDialog({ opened, onClose }: InviteDialogProps) {
  const invite = useSend<CreatedInvitation, NewInvitation>((body) => ({ method: "POST", path: "/invitations", body }), {
    refreshes: ["/invitations"],
  });
  const created = invite.data?.body;
  return (
    <FormDialog
      opened={opened}
      title={titleOf(created)}
      isPending={invite.isPending}
      isFirm={created !== undefined}
      onClose={onClose}
      onClosed={invite.reset}
    >
      {created === undefined ? (
        <InviteForm invite={invite} onClose={onClose} />
      ) : (
        <InvitationLink invitation={created} onClose={onClose} />
      )}
    </FormDialog>
  );
}

function titleOf(created: CreatedInvitation | undefined): string {
  if (created === undefined) return "Invite member";
  return created.sent === true ? "Invitation sent" : "Send this link";
}
