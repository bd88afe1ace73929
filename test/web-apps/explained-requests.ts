import fc from "fast-check";
import type { Configuration, McpAuthorizationServer } from "../../lib/config/configuration.ts";
import { headerParts } from "../../lib/config/header-template.ts";
import type { PolicyConfiguration } from "../../lib/config/policy-engines.ts";
import type { WebAppConfiguration } from "../../lib/config/web-app-configuration.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import { CORP } from "../support/oauth-apps.ts";
import { webApp } from "../support/web-app.ts";

/** A request for the app `payroll`, and who sends it. */
export interface Sent {
  readonly apps: readonly WebAppConfiguration[];
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly who: Who;
}

export type Who =
  | { readonly kind: "nobody" }
  | { readonly kind: "person"; readonly connector: string; readonly claims: JsonObject }
  | { readonly kind: "program"; readonly audience: string; readonly scope: string; readonly user: string };

export const AUDIENCE = "https://payroll.example/api";
export const CONNECTORS = [
  CORP,
  { ...CORP, name: "other", wellKnownURL: `https://other.example/.well-known/openid-configuration` },
];

type WebPolicy = WebAppConfiguration["policies"][number];

const cel = (expression: string): PolicyConfiguration => ({ engine: "cel", name: "cel", expression });
const rules: PolicyConfiguration = {
  ...{ engine: "rules", name: "rules", aggregation: "and" },
  rules: [{ operator: "equals", operands: [{ connector: "corp", claim: "department" }, { text: "finance" }] }],
};

const policies = fc.constantFrom<readonly PolicyConfiguration[]>(
  [],
  [rules],
  [cel('request.http.method == "GET"')],
  [cel('request.http.path.startsWith("/payroll/api/") && request.http.host == "us.example"')],
  [cel('has(user.email) && user.email.endsWith("@corp.example")'), rules],
  [cel('has(agent.clientID) && !("year" in request.http.query)')],
);
const location = fc.constantFrom<WebPolicy["location"]>(
  { kind: "prefix", path: "/" },
  { kind: "prefix", path: "/payroll" },
  { kind: "prefix", path: "/payroll/admin" },
  { kind: "exact", path: "/payroll/exact" },
  { kind: "pattern", source: "^/payroll/api/" },
);
const who = fc.constantFrom<Partial<WebPolicy>>(
  { allowUnauthenticated: true },
  { idps: ["corp"] },
  { idps: ["other", "corp"] },
  { bearer: { audiences: [AUDIENCE], scopes: [] } },
  { bearer: { audiences: [AUDIENCE], scopes: ["reports:read"] }, idps: ["corp"] },
);
const policy: fc.Arbitrary<WebPolicy> = fc
  .record({ location, policies, who, methods: fc.constantFrom(undefined, undefined, ["GET"], ["POST", "DELETE"]) })
  .map(({ who: admitted, methods, ...one }) => ({
    ...{ ...one, allowUnauthenticated: false, idps: [], ...admitted },
    ...(methods !== undefined && { methods }),
  }));

const headers = [
  ["x-user", "{{ corp.email }}"],
  ["x-department", "of {{ user.department }}"],
  ["x-who", "{{ user.sub }}"],
  ["x-agent", "{{ agent.clientID }}"],
  ["x-fixed", "yes"],
].map(([name = "", value = ""]) => ({ name, parts: headerParts(value, "web") }));

const apps = fc
  .record({
    policies: fc.array(policy, { minLength: 1, maxLength: 4 }),
    owner: fc.constantFrom({}, { isShared: true as const }, { organization: "org_else" }),
  })
  .map(({ policies: all, owner }) => [
    webApp("payroll", {
      routes: [{ path: "/payroll" }, { host: "payroll.example", path: "/" }],
      ...{ members: "any" as const, headers, policies: all, ...owner },
    }),
    webApp("wiki", { routes: [{ path: "/payroll/wiki" }] }),
  ]);

const person = fc.record({
  kind: fc.constant("person" as const),
  connector: fc.constantFrom("corp", "other"),
  claims: fc.constantFrom<JsonObject>(
    { sub: "ada", email: "ada@corp.example", department: "finance" },
    { sub: "ada", email: "ada@else.example", department: "it", aud: "countersign-at-corp", azp: "countersign-at-corp" },
    { sub: "bob", department: "finance\r\nX-User: ada" },
    { sub: "eve" },
  ),
});
const program = fc.record({
  kind: fc.constant("program" as const),
  audience: fc.constantFrom(AUDIENCE, AUDIENCE, "https://other.example"),
  scope: fc.constantFrom("reports:read", "other"),
  user: fc.constantFrom("ada", "a-program"),
});

export const PROGRAM = "a-program";

export const sent: fc.Arbitrary<Sent> = fc.record({
  apps,
  method: fc.constantFrom("GET", "POST", "PUT"),
  host: fc.constantFrom("us.example", "us.example", "payroll.example"),
  path: fc.constantFrom(
    ...["/payroll", "/payroll/", "/payroll/exact", "/payroll/api/x", "/payroll/api/x?year=2026", "/payroll/admin/x"],
    ...["/payroll//api/%78", "/payroll/ADMIN/x", "/payroll/admin;v=1/x", "/payroll/exact%20", "/payroll/x%2fadmin"],
    ...["/payroll/%2e%2e;/x", "/payroll/wiki/x", "/payroller", "/elsewhere"],
  ),
  who: fc.oneof(
    { weight: 1, arbitrary: fc.constant<Who>({ kind: "nobody" }) },
    { weight: 4, arbitrary: person },
    { weight: 3, arbitrary: program },
  ),
});

/** What both are configured by. */
export function changesFor({ apps: all }: Pick<Sent, "apps">, wellKnownEndpoint: string): Partial<Configuration> {
  const server: McpAuthorizationServer = {
    ...{ wellKnownEndpoint, refreshInterval: 3_600_000, expectedAudiences: ["https://us.example/mcp"] },
    ...{ method: "jwt", clockSkew: 0 },
  };
  const oauth = { enabled: true, metadataPath: "/.well-known/oauth-protected-resource", servers: [server] };
  // There is no endpoint for agents: the servers alone count.
  const mcpProvider = { serverName: "", oauth, allowedOrigins: [], allowedHosts: [] } as unknown;
  return { apps: all, connectors: CONNECTORS, mcpProvider } as Partial<Configuration>;
}
