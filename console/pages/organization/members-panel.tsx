import type { Member } from "../../../lib/management/schemas/members.ts";
import type { List } from "../../api/use-list.ts";
import { DataState } from "../../parts/data-state.tsx";
import { type Column, DataTable } from "../../parts/data-table.tsx";
import { ForeignText } from "../../parts/foreign-text.tsx";
import { LoadMore } from "../../parts/load-more.tsx";
import { Panel } from "../../parts/panel.tsx";
import { Time } from "../../parts/time.tsx";
import { useSubject } from "../../parts/use-subject.ts";
import { useSession } from "../../session/context.ts";
import { StopDialog } from "../stops/stop-dialog.tsx";
import { MemberMenu } from "./member-menu.tsx";
import { type MemberQuestion, MemberQuestionDialog } from "./member-question-dialog.tsx";
import classes from "./members-panel.module.css";
import { isOnlyOwner, RoleBadge } from "./roles.tsx";

/** Who belongs to the organization; owners change roles here, and remove people. */
export function MembersPanel({ members }: { readonly members: List<Member> }) {
  const { me, isOwner } = useSession();
  const question = useSubject<MemberQuestion>();
  const stopping = useSubject<Member>();
  const isLast = isOnlyOwner(members, me.userId);
  const actions: Column<Member> = {
    id: "actions",
    header: "Actions",
    isHeaderHidden: true,
    width: "3.5rem",
    align: "end",
    cell: (member) => (
      <MemberMenu member={member} isOnlyOwner={isLast && member.isYou} onAsk={question.open} onStop={stopping.open} />
    ),
  };
  return (
    <Panel title="Members" flush footer={isOwner && isLast && ONLY_OWNER}>
      <DataState
        data={members.items}
        error={members.error}
        refetch={members.refetch}
        problemTitle="The members could not be read"
      >
        {(items) => (
          <DataTable
            label="Members"
            columns={isOwner ? [...COLUMNS, actions] : COLUMNS}
            rows={items}
            keyOf={({ userId }) => userId}
          />
        )}
      </DataState>
      <LoadMore list={members} noun="members" />
      <MemberQuestionDialog question={question} onStale={members.refetch} />
      <StopDialog
        opened={stopping.isOpen}
        onClose={stopping.close}
        {...(stopping.value && { target: { kind: "person", id: stopping.value.userId, name: stopping.value.email } })}
      />
    </Panel>
  );
}

const ONLY_OWNER =
  "You are the only owner, and an organization needs one. Make somebody else an owner before you leave or become a member.";

const COLUMNS: readonly Column<Member>[] = [
  {
    id: "email",
    header: "Member",
    isName: true,
    cell: ({ email, isYou }) => (
      <>
        <ForeignText text={email} />
        {isYou && <span className={classes.you}>you</span>}
      </>
    ),
  },
  { id: "role", header: "Role", width: "9rem", cell: ({ role }) => <RoleBadge role={role} /> },
  { id: "joined", header: "Joined", width: "10rem", cell: ({ joinedAt }) => <Time value={joinedAt} format="date" /> },
];
