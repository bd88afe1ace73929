import type { KEY_PAIR_OPERATIONS } from "../operations/key-pairs.ts";
import { ADDED_KEY_PAIR, KEY_PAIR_LIST, NEW_KEY_PAIR, REVOKED_KEY_PAIR } from "../schemas/key-pairs.ts";
import type { Documentation } from "./documentation.ts";
import { CLIENT_ID, IF_MATCH, pathParameter } from "./documentation.ts";

export const KEY_PAIR_DOCUMENTATION = {
  listKeyPairs: {
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
  },
  addKeyPair: {
    summary: "Add a key pair",
    description:
      "Without a body one is generated, whose private key is in this answer and never again. `conflict`: the client has, " +
      "or had, this key, or has as many as it may have.",
    parameters: [CLIENT_ID, IF_MATCH],
    body: { schema: NEW_KEY_PAIR, isOptional: true },
    answers: [{ status: 201, description: "The key pair.", schema: ADDED_KEY_PAIR, headers: ["ETag"] }],
    problems: ["conflict"],
  },
  revokeKeyPair: {
    summary: "Revoke a key pair",
    description:
      "For good. No token is issued for it any more; issued tokens stay valid until they expire, unless the key pair is stopped, too (`placeStop`).",
    parameters: [CLIENT_ID, pathParameter("keyPairId"), IF_MATCH],
    answers: [
      { status: 200, description: "It is revoked, now or before.", schema: REVOKED_KEY_PAIR, headers: ["ETag"] },
    ],
  },
} as const satisfies Documentation<typeof KEY_PAIR_OPERATIONS>;
