import type { Member, MemberChange } from "../../../lib/management/schemas/members.ts";
import { path } from "../../api/request.ts";
import { useSend } from "../../api/use-send.ts";
import { useAnnounce } from "../../parts/announcer.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import type { Subject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import type { Role } from "./roles.tsx";

/** What an owner is about to do to a member. */
export type MemberQuestion =
  | { readonly kind: "role"; readonly member: Member; readonly role: Role }
  | { readonly kind: "remove"; readonly member: Member };

export interface MemberQuestionDialogProps {
  readonly question: Subject<MemberQuestion>;
  /** The list no longer says what is. */
  readonly onStale: () => void;
}

/** Says what changes for the member, then does it. */
export function MemberQuestionDialog({ question, onStale }: MemberQuestionDialogProps) {
  const announce = useAnnounce();
  const { value, isOpen, close } = question;
  const isYou = value?.member.isYou === true;
  const send = useSend<unknown, MemberQuestion>(requestOf, {
    // Whoever is an owner no more may not look at invitations, and those that others made may be gone.
    refreshes: isYou ? ["/members", "/me"] : ["/members", "/invitations"],
    onDone: (_, done) => {
      announce(doneWords(done));
      close();
    },
  });
  if (value === undefined) return null;
  const leave = () => {
    close();
    send.reset();
  };
  return (
    <ConfirmDialog
      opened={isOpen}
      title={titleOf(value)}
      confirmLabel={confirmLabelOf(value)}
      isHarmless={value.kind === "role" && value.role === "owner"}
      isPending={send.isPending}
      error={send.error}
      problemTitle={value.kind === "remove" ? "The member was not removed" : "The role was not changed"}
      onConfirm={() => send.mutate(value, { onError: onStale })}
      onClose={leave}
    >
      <Consequences question={value} />
    </ConfirmDialog>
  );
}

function Consequences({ question: { member, ...rest } }: { readonly question: MemberQuestion }) {
  const { organization } = useSession();
  const person = (
    <strong>
      <ForeignText text={member.email} />
    </strong>
  );
  const here = <ForeignText text={organization.name} />;
  if (rest.kind === "remove") {
    return (
      <>
        <p>
          {person} loses access to {here} at once, and open invitations that they made stop working. API clients that
          they created go on.
        </p>
        <p>
          Whoever belongs to no other organization is forgotten, with passkeys, connected accounts and sessions. You can
          invite them again.
        </p>
      </>
    );
  }
  if (rest.role === "owner") {
    return (
      <p>
        {person} can then change everything in {here}: API clients and their key pairs, members and their roles, you
        included.
      </p>
    );
  }
  return (
    <>
      <p>
        {member.isYou ? "You" : person} can still look at everything in {here}, and change nothing. Open invitations
        that {member.isYou ? "you" : "they"} made stop working.
      </p>
      {member.isYou && <p>You cannot undo this. Only another owner can.</p>}
    </>
  );
}

function requestOf({ member, ...rest }: MemberQuestion) {
  const address = path`/members/${member.userId}`;
  if (rest.kind === "remove") return { method: "DELETE", path: address } as const;
  return { method: "PATCH", path: address, body: { role: rest.role } satisfies MemberChange } as const;
}

function titleOf({ member, ...rest }: MemberQuestion): string {
  if (rest.kind === "remove") return "Remove this member?";
  if (member.isYou) return "Become a member?";
  return rest.role === "owner" ? "Make this member an owner?" : "Make this owner a member?";
}

function confirmLabelOf({ member, ...rest }: MemberQuestion): string {
  if (rest.kind === "remove") return "Remove member";
  if (rest.role === "owner") return "Make owner";
  return member.isYou ? "Become a member" : "Make member";
}

function doneWords({ member, ...rest }: MemberQuestion): string {
  const name = member.isYou ? "You" : visibleText(member.email);
  if (rest.kind === "remove") return `${name} was removed`;
  const verb = member.isYou ? "are" : "is";
  return `${name} ${verb} ${rest.role === "owner" ? "an owner" : "a member"} now`;
}
