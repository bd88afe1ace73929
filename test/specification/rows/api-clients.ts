import type { SpecificationRow } from "../row.ts";

const management = "management API";
const token = "token endpoint > ";

export const apiClientRows: readonly SpecificationRow[] = [
  {
    id: "api-client.create",
    statement:
      "An owner creates an API client with a name and an optional description; the service assigns client_<uuid>.",
    shown: "runtimes",
    tests: [`${management}`, "an owner creates an API client; it is shown, listed, edited and deleted"],
  },
  {
    id: "api-client.edit",
    statement: "Name and description can be edited.",
    shown: "runtimes",
    tests: ["an owner creates an API client; it is shown, listed, edited and deleted"],
  },
  {
    id: "api-client.owner",
    statement: "Administering API clients takes the role of an organization's owner.",
    shown: "once",
    tests: ["32. who may do what > 32. POST", "32. who may do what > 32. DELETE", "32. who may do what > 32. PATCH"],
  },
  {
    id: "api-client.delete",
    statement: "Deleting a client removes its key pairs, and new token requests are rejected.",
    shown: "runtimes",
    tests: [
      "8. a deleted client is refused on the very next request",
      `${token}follows the life of a client > a deleted client`,
    ],
  },
  {
    id: "api-client.region",
    statement: "A client exists in its own region only.",
    shown: "runtimes",
    tests: [
      "32. a client of one region does not exist for an owner of the other",
      "of a client of the other region: there it does not exist",
    ],
  },
  {
    id: "api-client.audit",
    statement: "Life-cycle events of API clients are in the audit log.",
    shown: "runtimes",
    tests: ["a change is in the audit log, with who made it and the request it was made by"],
  },
  {
    id: "key-pair.add",
    statement: "The server generates the key pair; the private key is delivered once and not stored.",
    shown: "runtimes",
    tests: [
      "34. a generated private key is in the answer that makes it and in no other",
      "34. no private key and no session value is in any log line",
    ],
  },
  {
    id: "key-pair.pem",
    statement: "The private key is an EC key in PEM, usable with ES256 by other software.",
    shown: "once",
    tests: ["openssl reads a generated private key as a P-256 key in PKCS#8", "jose signs ES256 with the private key"],
  },
  {
    id: "key-pair.several",
    statement: "Several key pairs may be active, so that they can be rotated.",
    shown: "runtimes",
    tests: [`${token}follows the life of a client > rotation`],
  },
  {
    id: "key-pair.revoke",
    statement: "Revoking a key pair leaves the others and issued tokens alone; its assertions no longer verify.",
    shown: "runtimes",
    tests: [
      "revoking is final and repeatable, leaves the other pairs alone",
      `${token}follows the life of a client > rotation`,
      "8. a revoked key is refused on the very next request",
    ],
  },
];
