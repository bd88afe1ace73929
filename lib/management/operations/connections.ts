import type { Operation } from "./operation.ts";

/** People's accounts at providers. */
export const CONNECTION_OPERATIONS = [
  {
    operationId: "listConnections",
    method: "get",
    path: "/api/v1/connections",
    access: { role: "member" },
  },
  {
    operationId: "deleteConnection",
    method: "delete",
    path: "/api/v1/connections/{connectionId}",
    access: { role: "member" },
  },
  {
    operationId: "listVaultKeys",
    method: "get",
    path: "/api/v1/vault-keys",
    access: { role: "owner", isForFirstOrganization: true },
  },
  {
    operationId: "rewrapConnections",
    method: "post",
    path: "/api/v1/vault-keys/rewrap",
    access: { role: "owner", isForFirstOrganization: true },
  },
] as const satisfies readonly Operation[];
