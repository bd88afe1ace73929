import { listOf, pageOf, type Shape, TIME } from "./common.ts";

/** A person's account at a provider, without its tokens. */
export const CONNECTION = {
  title: "Connection",
  type: "object",
  properties: {
    connectionId: { type: "string", description: "`connection_…`: a new one with each time that the person connects." },
    person: { type: "string", description: "As audit records name the person." },
    app: { type: "string", description: "Name of the app whose calls carry the person's token." },
    agent: { type: "string", description: "The agent that alone may use it. Absent: every agent of the person." },
    connector: { type: "string", description: "Name of the connector that it was made at." },
    account: {
      type: "object",
      description: "What the provider calls the account, where it says so.",
      properties: { id: { type: "string" }, label: { type: "string" } },
      required: ["id"],
      additionalProperties: false,
    },
    scopes: { type: "array", items: { type: "string" }, description: "As the provider granted them." },
    state: {
      enum: ["connected", "uncertain", "reconnect"],
      description:
        "`uncertain`: the provider did not answer when the tokens were renewed; the next call finds out. `reconnect`: the provider " +
        "takes neither token any more, and the person has to connect again.",
    },
    revokesAtProvider: {
      type: "boolean",
      description:
        "Whether the provider is told when the connection is taken back. Absent: what the provider says of itself decides it.",
    },
    connectedAt: TIME,
    lastUsedAt: { ...TIME, description: "To the hour." },
  },
  required: ["connectionId", "person", "app", "connector", "scopes", "state", "connectedAt", "lastUsedAt"],
  additionalProperties: false,
} as const;

export const CONNECTION_PAGE = pageOf("ConnectionPage", CONNECTION);

export type Connection = Shape<typeof CONNECTION>;
export type ConnectionPage = Shape<typeof CONNECTION_PAGE>;

export const VAULT_KEY_LIST = listOf("VaultKeyList", {
  title: "VaultKey",
  type: "object",
  properties: {
    keyId: { type: "string", description: "A fingerprint, no part of the key." },
    records: { type: "integer", description: "Connections of the whole instance that it encrypts." },
    seals: { type: "boolean", description: "It encrypts what is new. Another key may go once it has no records." },
  },
  required: ["keyId", "records", "seals"],
  additionalProperties: false,
} as const);

/** What became of a page of connections that another key than the first one encrypted. */
export const VAULT_REWRAP = {
  title: "VaultRewrap",
  type: "object",
  properties: {
    rewrapped: { type: "integer" },
    notOpened: { type: "integer", description: "No key opens them: these people connect again." },
    changed: { type: "integer", description: "Somebody wrote them meanwhile: begin anew after the last page." },
    nextCursor: { type: "string", description: "The `cursor` of the next request; absent: this was the last page." },
  },
  required: ["rewrapped", "notOpened", "changed"],
  additionalProperties: false,
} as const;

export type VaultKeyList = Shape<typeof VAULT_KEY_LIST>;
export type VaultRewrap = Shape<typeof VAULT_REWRAP>;
