import type { Operation } from "./operation.ts";

const PATH = "/api/v1/api-clients/{clientId}";

export const API_CLIENT_OPERATIONS = [
  {
    operationId: "listApiClients",
    method: "get",
    path: "/api/v1/api-clients",
    access: { role: "member" },
  },
  {
    operationId: "createApiClient",
    method: "post",
    path: "/api/v1/api-clients",
    access: { role: "owner" },
  },
  {
    operationId: "showApiClient",
    method: "get",
    path: PATH,
    access: { role: "member" },
  },
  {
    operationId: "changeApiClient",
    method: "patch",
    path: PATH,
    access: { role: "owner" },
  },
  {
    operationId: "deleteApiClient",
    method: "delete",
    path: PATH,
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
