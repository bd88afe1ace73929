import type { Operation } from "./operation.ts";

const PATH = "/api/v1/api-clients/{clientId}/key-pairs";

export const KEY_PAIR_OPERATIONS = [
  {
    operationId: "listKeyPairs",
    method: "get",
    path: PATH,
    access: { role: "member" },
  },
  {
    operationId: "addKeyPair",
    method: "post",
    path: PATH,
    access: { role: "owner" },
  },
  {
    operationId: "revokeKeyPair",
    method: "post",
    path: `${PATH}/{keyPairId}/revoke`,
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
