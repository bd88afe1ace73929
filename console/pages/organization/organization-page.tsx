import { Button } from "@mantine/core";
import { useState } from "react";
import type { Member } from "../../../lib/management/schemas/members.ts";
import { useList } from "../../api/use-list.ts";
import { PlusIcon } from "../../icons.tsx";
import { OwnersOnly } from "../../parts/owners-only.tsx";
import { PageFrame } from "../../parts/page-frame.tsx";
import { useSession } from "../../session/context.ts";
import { DeletePanel } from "./delete-panel.tsx";
import { InvitationsPanel } from "./invitations-panel.tsx";
import { InviteDialog } from "./invite-dialog.tsx";
import { LeavePanel } from "./leave-panel.tsx";
import { MembersPanel } from "./members-panel.tsx";
import { NewOrganizationDialog } from "./new-organization-dialog.tsx";
import { OrganizationPanel } from "./organization-panel.tsx";

/** The organization's name, who belongs to it with which role, and who is invited. */
export function OrganizationPage() {
  const { isOwner } = useSession();
  const members = useList<Member>("/members", { query: { limit: 100 } });
  const [dialog, setDialog] = useState<"invite" | "new">();
  const close = () => setDialog(undefined);
  return (
    <PageFrame
      title="Organization"
      description="The people of the organization. Owners can change things, members can see them."
      actions={
        isOwner && (
          <>
            <Button variant="default" onClick={() => setDialog("new")}>
              New organization
            </Button>
            <Button leftSection={<PlusIcon />} onClick={() => setDialog("invite")}>
              Invite member
            </Button>
          </>
        )
      }
    >
      <OrganizationPanel />
      <MembersPanel members={members} />
      <OwnersOnly>
        <InvitationsPanel members={members.items} onInvite={() => setDialog("invite")} />
      </OwnersOnly>
      <LeavePanel members={members} />
      {isOwner && <DeletePanel />}
      <InviteDialog opened={dialog === "invite"} onClose={close} />
      <NewOrganizationDialog opened={dialog === "new"} onClose={close} />
    </PageFrame>
  );
}
