import { ADDED_KEY_PAIR, KEY_PAIR_LIST, NEW_KEY_PAIR, REVOKED_KEY_PAIR } from "../schemas/key-pairs.ts";
import { CLIENT_ID, IF_MATCH, type Operation, pathParameter } from "./operation.ts";

const PATH = "/api/v1/api-clients/{clientId}/key-pairs";

export const KEY_PAIR_OPERATIONS = [
  {
    operationId: "listKeyPairs",
    method: "get",
    path: PATH,
    summary: "Key pairs of an API client",
    parameters: [CLIENT_ID],
    answers: [
      {
        status: 200,
        description: "Every pair that the client has or had; the `ETag` is the client's.",
        schema: KEY_PAIR_LIST,
        headers: ["ETag"],
      },
    ],
    access: { role: "member" },
  },
  {
    operationId: "addKeyPair",
    method: "post",
    path: PATH,
    summary: "Add a key pair",
    description:
      "Without a body one is generated, whose private key is in this answer and never again. `conflict`: the client has, " +
      "or had, this key, or has as many as it may have.",
    parameters: [CLIENT_ID, IF_MATCH],
    body: { schema: NEW_KEY_PAIR, isOptional: true },
    answers: [{ status: 201, description: "The key pair.", schema: ADDED_KEY_PAIR, headers: ["ETag"] }],
    problems: ["conflict"],
    access: { role: "owner" },
  },
  {
    operationId: "revokeKeyPair",
    method: "post",
    path: `${PATH}/{keyPairId}/revoke`,
    summary: "Revoke a key pair",
    description:
      "For good. No token is issued for it any more; issued tokens stay valid until they expire, unless the key pair is stopped, too (`placeStop`).",
    parameters: [CLIENT_ID, pathParameter("keyPairId"), IF_MATCH],
    answers: [
      { status: 200, description: "It is revoked, now or before.", schema: REVOKED_KEY_PAIR, headers: ["ETag"] },
    ],
    access: { role: "owner" },
  },
] as const satisfies readonly Operation[];
