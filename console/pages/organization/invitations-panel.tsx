import { Button } from "@mantine/core";
import type { Invitation } from "../../../lib/management/schemas/invitations.ts";
import type { Member } from "../../../lib/management/schemas/members.ts";
import { useList } from "../../api/use-list.ts";
import { PersonIcon } from "../../icons.tsx";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { EmptyState } from "../../parts/empty-state.tsx";
import { ForeignText, visibleText } from "../../parts/foreign-text.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { RevokeInvitationDialog } from "./revoke-invitation-dialog.tsx";
import { RoleBadge } from "./roles.tsx";

export interface InvitationsPanelProps {
  /** As far as they were read, for the names of those who invited. */
  readonly members: readonly Member[] | undefined;
  readonly onInvite: () => void;
}

/** Links that somebody can still use, for owners. */
export function InvitationsPanel({ members = [], onInvite }: InvitationsPanelProps) {
  const invitations = useList<Invitation>("/invitations");
  const revoking = useSubject<Invitation>();
  return (
    <Panel title="Open invitations" flush>
      <DataState
        data={invitations.items}
        error={invitations.error}
        refetch={invitations.refetch}
        problemTitle="The invitations could not be read"
        empty={
          <EmptyState
            icon={<PersonIcon size={20} />}
            title="No open invitations"
            action={
              <Button variant="default" onClick={onInvite}>
                Invite member
              </Button>
            }
          >
            Invited people are listed here until they accept or the link expires.
          </EmptyState>
        }
      >
        {(items) => (
          <DataTable
            label="Open invitations"
            columns={columnsFor(members, revoking.open)}
            rows={items}
            keyOf={({ invitationId }) => invitationId}
          />
        )}
      </DataState>
      <RevokeInvitationDialog invitation={revoking} onStale={invitations.refetch} />
    </Panel>
  );
}

function columnsFor(
  members: readonly Member[],
  onRevoke: (invitation: Invitation) => void,
): readonly Column<Invitation>[] {
  const nameOf = (userId: string) => members.find((member) => member.userId === userId)?.email ?? userId;
  return [
    { id: "email", header: "Invited address", isName: true, cell: ({ email }) => <ForeignText text={email} /> },
    { id: "role", header: "Role", width: "7rem", cell: ({ role }) => <RoleBadge role={role} /> },
    { id: "by", header: "Invited by", cell: ({ invitedBy }) => <ForeignText text={nameOf(invitedBy)} /> },
    { id: "until", header: "Works until", width: "12rem", cell: ({ expiresAt }) => <Time value={expiresAt} /> },
    {
      id: "actions",
      header: "Actions",
      isHeaderHidden: true,
      width: "6rem",
      align: "end",
      cell: (invitation) => (
        <Button
          variant="default"
          size="xs"
          aria-label={`Revoke invitation for ${visibleText(invitation.email)}`}
          onClick={() => onRevoke(invitation)}
        >
          Revoke
        </Button>
      ),
    },
  ];
}
