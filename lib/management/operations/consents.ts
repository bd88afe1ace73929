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
    access: { role: "member" },
  },
  {
    operationId: "listConnectedAgents",
    method: "get",
    path: "/api/v1/connected-agents",
    access: { role: "member" },
  },
] as const satisfies readonly Operation[];
