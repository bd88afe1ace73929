import { MEMBER, MEMBER_CHANGE, MEMBER_LIST } from "../schemas/members.ts";
import { type Operation, PAGE, pathParameter } from "./operation.ts";

const USER_ID = pathParameter("userId");

export const MEMBER_OPERATIONS = [
  {
    operationId: "listMembers",
    method: "get",
    path: "/api/v1/members",
    summary: "Members of the organization",
    parameters: PAGE,
    answers: [{ status: 200, description: "Oldest first.", schema: MEMBER_LIST }],
    access: { role: "member" },
  },
  {
    operationId: "changeMember",
    method: "patch",
    path: "/api/v1/members/{userId}",
    summary: "Change a member's role",
    description: "`conflict`: the organization would be left without an owner.",
    parameters: [USER_ID],
    body: { schema: MEMBER_CHANGE },
    answers: [{ status: 200, description: "The member.", schema: MEMBER }],
    problems: ["conflict", "recent_sign_in_required"],
    access: { role: "owner" },
  },
  {
    operationId: "removeMember",
    method: "delete",
    path: "/api/v1/members/{userId}",
    summary: "Remove a member",
    description: "Members may leave by themselves. `conflict`: the organization would be left without an owner.",
    parameters: [USER_ID],
    answers: [{ status: 204, description: "The person does not belong to the organization any more." }],
    problems: ["conflict"],
    access: { role: "owner", isDecidedByEndpoint: true },
  },
] as const satisfies readonly Operation[];
