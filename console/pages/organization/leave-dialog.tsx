import { useLocation } from "wouter";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { useSession } from "../../session/context.ts";
import { useBeginSession } from "../../sign-in/use-begin-session.ts";

export interface LeaveDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** What the page shows is not what is. */
  readonly onRefused: () => void;
}

/** Says what leaving ends, then leaves: for another organization of the person, or, without one, the Console. */
export function LeaveDialog({ opened, onClose, onRefused }: LeaveDialogProps) {
  const { me, organization, isOwner } = useSession();
  const next = me.organizations.find(({ organizationId }) => organizationId !== organization.organizationId);
  const goOn = useGoOn(`You have left ${visibleText(organization.name)}`, next?.organizationId);
  const send = useSend(() => ({ method: "DELETE", path: path`/members/${me.userId}` }), {
    refreshes: next === undefined ? [] : ["/me"],
    onDone: goOn,
  });
  const close = () => {
    onClose();
    send.reset();
  };
  return (
    <ConfirmDialog
      opened={opened}
      title="Leave this organization?"
      confirmLabel="Leave organization"
      {...(next === undefined && { typeToConfirm: organization.name })}
      isPending={send.isPending}
      error={send.error}
      problemTitle="You have not left"
      onConfirm={() => send.mutate(undefined, { onError: onRefused })}
      onClose={close}
    >
      <p>
        You lose access to{" "}
        <strong>
          <ForeignText text={organization.name} />
        </strong>{" "}
        at once. Only an owner can let you in again, by an invitation.
        {isOwner && " Open invitations that you made stop working; API clients that you created go on."}
      </p>
      {next === undefined && (
        <p>
          It is your only organization: your account here ends with it. You are signed out everywhere, and your passkeys
          and connected accounts sign you in no more.
        </p>
      )}
    </ConfirmDialog>
  );
}

/** To another organization of the person, or, without one, out of the Console. */
export function useGoOn(said: string, nextOrganization: string | undefined): () => void {
  const { switchTo } = useSession();
  const announce = useAnnounce();
  const begin = useBeginSession();
  const [, navigate] = useLocation();
  return () => {
    announce(said);
    if (nextOrganization === undefined) return begin("/sign-in?signed-out");
    navigate("/");
    switchTo(nextOrganization);
  };
}
