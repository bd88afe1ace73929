import type { CONNECTION_OPERATIONS } from "../operations/connections.ts";
import { NO_FIELDS } from "../schemas/common.ts";
import { CONNECTION_PAGE, VAULT_KEY_LIST, VAULT_REWRAP } from "../schemas/connections.ts";
import type { Documentation } from "./documentation.ts";
import { PAGE, pathParameter, textQueryParameter } from "./documentation.ts";

/** People's accounts at providers. */
export const CONNECTION_DOCUMENTATION = {
  listConnections: {
    summary: "Accounts of people at providers, which their agents' calls use",
    description:
      "The person's own, all on one page. With `everyone`, for owners, those of the organization; in no order.",
    parameters: [{ name: "everyone", in: "query", schema: { type: "boolean", default: false } }, ...PAGE],
    answers: [
      { status: 200, description: "What is known of them. Tokens are shown to nobody.", schema: CONNECTION_PAGE },
    ],
  },
  deleteConnection: {
    summary: "Take a connection back",
    description:
      "The person's own; an owner may take back everybody's. No call uses it from the next one on. Then its tokens are revoked at the " +
      "provider, where the provider can; the audit log says what came of it.",
    parameters: [
      pathParameter("connectionId"),
      { ...textQueryParameter("person", "`person` of the connection."), required: true },
      { ...textQueryParameter("app", "`app` of the connection."), required: true },
      textQueryParameter("agent", "`agent` of the connection, where it has one."),
    ],
    answers: [{ status: 204, description: "It is taken back." }],
    problems: ["not_found"],
  },
  listVaultKeys: {
    summary: "How many connections each vault key encrypts",
    description: "`not_found`: the configuration has no `vault.keys`.",
    answers: [{ status: 200, description: "The key that encrypts first.", schema: VAULT_KEY_LIST }],
    problems: ["not_found"],
  },
  rewrapConnections: {
    summary: "Encrypt data keys with the first vault key",
    description:
      "A page of the connections that another key encrypts; their tokens stay encrypted. `not_found`: the configuration has no `vault.keys`.",
    parameters: PAGE,
    body: { schema: NO_FIELDS, isOptional: true },
    answers: [{ status: 200, description: "What became of them.", schema: VAULT_REWRAP }],
    problems: ["not_found"],
  },
} as const satisfies Documentation<typeof CONNECTION_OPERATIONS>;
