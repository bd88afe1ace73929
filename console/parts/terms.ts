/** A word of the Console that the documentation explains, and where: a page of it without its ending, and the anchor of a heading. */
export interface Explained {
  /** With its article, as it stands in a question. */
  readonly what: string;
  readonly page: string;
  readonly anchor: string;
}

/** Words of the Console whose meaning not everybody knows. */
export const TERMS = {
  access: { what: "a decision about a call", page: "docs/concepts", anchor: "what-decides" },
  agent: { what: "an agent", page: "docs/concepts", anchor: "the-parts" },
  apiClient: { what: "an API client", page: "docs/api", anchor: "api-clients" },
  approval: { what: "an approval", page: "docs/policies", anchor: "who-must-approve" },
  auditRecord: { what: "an audit record", page: "docs/api", anchor: "audit-events" },
  connection: { what: "a connection", page: "docs/upstream-accounts", anchor: "what-people-see" },
  connector: { what: "a connector", page: "docs/concepts", anchor: "the-parts" },
  delegationToken: { what: "a delegation token", page: "docs/api", anchor: "tokens-for-people-and-exchanges" },
  gatewaySetting: { what: "a gateway setting", page: "docs/api", anchor: "gateway-settings" },
  limit: { what: "a limit", page: "docs/operations/health", anchor: "limits-of-your-own" },
  override: { what: "an override", page: "docs/api", anchor: "overrides-of-an-organization" },
  pin: { what: "a pin", page: "docs/policies", anchor: "what-if-a-server-changes-its-tools" },
  policy: { what: "a policy", page: "docs/policies", anchor: "who-may-call" },
  revision: { what: "a revision", page: "docs/deployments", anchor: "publish" },
  scope: { what: "a scope", page: "docs/concepts", anchor: "the-parts" },
  stop: { what: "a stop", page: "docs/api", anchor: "the-switch" },
  tool: { what: "a tool", page: "docs/concepts", anchor: "the-parts" },
} as const satisfies Readonly<Record<string, Explained>>;

export type Term = keyof typeof TERMS;

/** @param documentation address of the site, without a slash at the end */
export function explanationOf(term: Term, documentation: string): string {
  const { page, anchor } = TERMS[term];
  return `${documentation}/${page}.html#${anchor}`;
}
