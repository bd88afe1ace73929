import type { Operation } from "./operation.ts";

export const CONSENT_OPERATIONS = [
  {
    operationId: "showConsent",
    method: "get",
    path: "/api/v1/consents",
    access: { role: "member" },
  },
  {
    operationId: "revokeConsent",
    method: "delete",
    path: "/api/v1/consents",
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
