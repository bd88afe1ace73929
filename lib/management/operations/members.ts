import type { Operation } from "./operation.ts";

export const MEMBER_OPERATIONS = [
  {
    operationId: "listMembers",
    method: "get",
    path: "/api/v1/members",
    access: { role: "member" },
  },
  {
    operationId: "changeMember",
    method: "patch",
    path: "/api/v1/members/{userId}",
    access: { role: "owner" },
  },
  {
    operationId: "removeMember",
    method: "delete",
    path: "/api/v1/members/{userId}",
    access: { role: "owner", isDecidedByEndpoint: true },
  },
] as const satisfies readonly Operation[];
