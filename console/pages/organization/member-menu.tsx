import { ActionIcon, Menu } from "@mantine/core";
import type { Member } from "../../../lib/management/schemas/members.ts";
import { MoreIcon } from "../../icons.tsx";
import { visibleText } from "../../parts/foreign-text.tsx";
import type { MemberQuestion } from "./member-question-dialog.tsx";

export interface MemberMenuProps {
  readonly member: Member;
  readonly isOnlyOwner: boolean;
  readonly onAsk: (question: MemberQuestion) => void;
  readonly onStop: (member: Member) => void;
}

/** What an owner can do about a member. Leaving is elsewhere on the page, for everybody. */
export function MemberMenu({ member, isOnlyOwner, onAsk, onStop }: MemberMenuProps) {
  const { role, email, isYou } = member;
  const other = role === "owner" ? "member" : "owner";
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${visibleText(email)}`}>
          <MoreIcon />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={isOnlyOwner} onClick={() => onAsk({ kind: "role", member, role: other })}>
          {other === "owner" ? "Make owner" : "Make member"}
        </Menu.Item>
        {isOnlyOwner && <Menu.Label>An organization needs one owner.</Menu.Label>}
        {!isYou && <Menu.Item onClick={() => onStop(member)}>Stop their agents and sessions</Menu.Item>}
        {!isYou && <Menu.Item onClick={() => onAsk({ kind: "remove", member })}>Remove from organization</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}
