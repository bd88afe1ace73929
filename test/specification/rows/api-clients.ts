import type { SpecificationRow } from "../row.ts";

const token = "token endpoint > ";
const story = "an owner who never saw the Console comes from the setup link to a token, and ends the key > ";

export const apiClientRows: readonly SpecificationRow[] = [
  {
    id: "api-client.create",
    statement:
      "An owner creates an API client with a name and an optional description; the service assigns client_<uuid>.",
    shown: "runtimes",
    tests: ["an owner creates an API client; it is shown, listed, edited and deleted"],
  },
  {
    id: "api-client.no-password",
    statement: "API clients have no password: none can be given at the management API, and none brings a token.",
    shown: "runtimes",
    tests: [`${token}an API client has no password`],
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
      "each step of a life is recorded once, and what changed nothing is not",
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
    tests: [
      "a change is in the audit log, with who made it and the request it was made by",
      "each step of a life is recorded once, and what changed nothing is not",
    ],
  },
  {
    id: "key-pair.add",
    statement: "The server generates the key pair; the private key is delivered once and not stored.",
    shown: "runtimes",
    tests: [
      "34. a generated private key is in the answer that makes it and in no other",
      "34. no private key and no session value is in any log line",
    ],
    also: [
      "what a store keeps of what is secret > 10. no secret is in any file that node writes",
      "what a store keeps of what is secret > 10. no secret is in any file that workerd writes",
      "what a store keeps of what is secret > 10. no secret is in any item of DynamoDB",
    ],
  },
  {
    id: "key-pair.pem",
    statement: "The private key is an EC key in PEM, usable with ES256 by other software.",
    shown: "once",
    tests: ["openssl reads a generated private key as a P-256 key in PKCS#8", "jose signs ES256 with the private key"],
  },
  {
    id: "key-pair.download",
    statement: "The Console offers the private key once, as a PEM file that other software reads.",
    shown: "once",
    tests: [
      `${story}with the mouse > step by step`,
      `${story}with the mouse > 34. the private key was in one answer, and is nowhere else`,
      "in a Worker > an owner comes from the setup link to a token, and ends the key",
    ],
  },
  {
    id: "key-pair.fingerprint",
    statement: "A new key pair's fingerprint is in the answer that makes it, and displayed in the Console.",
    shown: "runtimes",
    tests: ["every added key pair is recorded with its fingerprint and how it came to be"],
    also: [`${story}with the mouse > step by step`],
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
