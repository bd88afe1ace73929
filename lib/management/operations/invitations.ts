import type { Operation } from "./operation.ts";

export const INVITATION_OPERATIONS = [
  {
    operationId: "listInvitations",
    method: "get",
    path: "/api/v1/invitations",
    access: { role: "owner" },
  },
  {
    operationId: "createInvitation",
    method: "post",
    path: "/api/v1/invitations",
    access: { role: "owner" },
  },
  {
    operationId: "revokeInvitation",
    method: "delete",
    path: "/api/v1/invitations/{invitationId}",
    access: { role: "owner" },
  },
  {
    operationId: "previewInvitation",
    method: "post",
    path: "/api/v1/invitations/preview",
    access: { role: "public" },
  },
  {
    operationId: "acceptInvitation",
    method: "post",
    path: "/api/v1/invitations/accept",
    access: { role: "public" },
  },
] as const satisfies readonly Operation[];
