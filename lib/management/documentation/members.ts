import type { MEMBER_OPERATIONS } from "../operations/members.ts";
import { MEMBER, MEMBER_CHANGE, MEMBER_LIST } from "../schemas/members.ts";
import type { Documentation } from "./documentation.ts";
import { PAGE, pathParameter } from "./documentation.ts";

const USER_ID = pathParameter("userId");

export const MEMBER_DOCUMENTATION = {
  listMembers: {
    summary: "Members of the organization",
    parameters: PAGE,
    answers: [{ status: 200, description: "Oldest first.", schema: MEMBER_LIST }],
  },
  changeMember: {
    summary: "Change a member's role",
    description: "`conflict`: the organization would be left without an owner.",
    parameters: [USER_ID],
    body: { schema: MEMBER_CHANGE },
    answers: [{ status: 200, description: "The member.", schema: MEMBER }],
    problems: ["conflict", "recent_sign_in_required"],
  },
  removeMember: {
    summary: "Remove a member",
    description: "Members may leave by themselves. `conflict`: the organization would be left without an owner.",
    parameters: [USER_ID],
    answers: [{ status: 204, description: "The person does not belong to the organization any more." }],
    problems: ["conflict"],
  },
} as const satisfies Documentation<typeof MEMBER_OPERATIONS>;
