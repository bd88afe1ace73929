import fc from "fast-check";
import type { McpAppConfiguration, McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { PolicyConfiguration } from "../../../lib/config/policy-engines.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { compileCatalog } from "../../../lib/openapi/compile.ts";
import type { McpPolicyInput } from "../../../lib/policy/policy.ts";
import type { ArgumentRule } from "../../../lib/tool-rules/argument-rule.ts";
import { parseExact } from "../../../lib/upstream/wire/exact-json.ts";
import { proxyApp } from "../../proxy/tools/proxying-gateway.ts";

/** A configuration, who calls, and what is called with which arguments. */
export interface Scenario {
  readonly apps: readonly McpAppConfiguration[];
  readonly asksForTokens: boolean;
  readonly caller: Caller;
  readonly tool: string;
  /** The REST APIs' tools that have changed, where these pin tools. */
  readonly held: readonly string[];
  /** As the agent wrote them. */
  readonly arguments: string;
}

export interface Caller {
  readonly isOfThisInstance: boolean;
  readonly claims: JsonObject;
}

export const NOW = Date.UTC(2027, 0, 1);
export const TOOLS = ["getNote", "createNote", "deleteNote"];
const ORGANIZATION = "org_theirs";
const NAME = "request.mcp.tool.params.name";
const AMOUNT = "request.mcp.tool.params.arguments.amount";

/** Expressions that decide, that fail, that need arguments and that do not. */
const EXPRESSIONS = [
  `${NAME} != "deleteNote"`,
  `${NAME}.startsWith("get") || "editor" in token.claims.roles`,
  `${NAME} == "getNote" || ${AMOUNT} <= 100`,
  `${AMOUNT} < 10`,
  "true",
  "false",
  'user.sub == "a-person"',
  'agent.clientID != "an-agent"',
  "has(token.claims.roles)",
  'request.mcp.method != "tools/call" || request.mcp.app != "mail"',
  "!has(request.http.headers.Authorization)",
  "!has(request.mcp.http.headers.Authorization)",
  'request.http.path == "/getNote" || request.http.query.amount.all(amount, double(amount) <= 10.0)',
  "!has(request.http.form) || request.mcp.app == 'mail'",
  'has(request.http.remoteAddress) || request.mcp.http.path == "/mcp"',
];

/** What servers of policies say, by the last segment of their URL. */
const DOCUMENTS: Readonly<Record<string, (input: McpPolicyInput) => unknown>> = {
  always: () => true,
  never: () => ({ allowed: false, external_message: "Not today." }),
  readers: ({ request: { mcp } }) => {
    const reads = (name: string) => name.startsWith("get");
    if (mcp.tools === undefined) return reads(mcp.tool?.params.name ?? "");
    return { allowed: mcp.tools.map(({ params }) => params.name).filter(reads) };
  },
  listed: ({ request: { mcp } }) => mcp.tools !== undefined,
  unlisted: ({ request: { mcp } }) => mcp.tools === undefined,
  token: ({ request: { http } }) => http.headers?.Authorization !== undefined,
  tokenless: ({ request: { http } }) => http.headers?.Authorization === undefined,
  small: ({ request: { mcp } }) => mcp.tools !== undefined || Number(amountOf(mcp.tool?.params.arguments)) < 10,
  undecided: () => undefined,
  posted: ({ request: { http, mcp } }) => mcp.tools !== undefined || http.method === "POST",
};

function amountOf(given: unknown): unknown {
  return (given as { readonly amount?: unknown } | undefined)?.amount;
}

/** Fetches from all servers of policies. */
export const policyServers: typeof globalThis.fetch = async (url, init) => {
  if (new URL(String(url)).host === "pdp.example") return decisionPoint(new URL(String(url)).pathname, init);
  const { input } = JSON.parse(String(init?.body)) as { input: McpPolicyInput };
  const document = DOCUMENTS[new URL(String(url)).pathname.slice(1)];
  return Response.json({ result: document?.(input) });
};

/** Two decision points with default paths, and one that does not answer. */
function decisionPoint(path: string, init: RequestInit | undefined): Response {
  if (path.startsWith("/.well-known/")) return new Response(null, { status: 404 });
  if (path.startsWith("/broken/")) return new Response(null, { status: 500 });
  const { resource, evaluations } = JSON.parse(String(init?.body)) as {
    readonly resource?: { readonly id: string };
    readonly evaluations?: readonly { readonly resource: { readonly id: string } }[];
  };
  const decided = (id = "") => ({ decision: path.startsWith("/always/") || id.startsWith("get") });
  return Response.json(
    evaluations === undefined
      ? decided(resource?.id)
      : { evaluations: evaluations.map((one) => decided(one.resource.id)) },
  );
}

const catalogs = new Map(await Promise.all(["notes", "mail"].map(async (app) => [app, await catalogOf(app)] as const)));

async function catalogOf(app: string) {
  const amount = { name: "amount", in: "query", schema: { type: "number" } };
  const unit = { name: "unit", in: "query", schema: { type: "string" } };
  const responses = { 200: { description: "Done." } };
  const operation = (operationId: string) => ({ operationId, parameters: [amount, unit], responses });
  const paths = Object.fromEntries(TOOLS.map((name) => [`/${name}`, { post: operation(name) }]));
  const document = { openapi: "3.1.0", info: { title: app, version: "1" }, paths };
  const result = await compileCatalog(JSON.stringify(document), { app, namespace: { disabled: false } });
  if ("errors" in result) throw new Error(JSON.stringify(result.errors));
  return result.catalog;
}

/** What allows is drawn more often: one denial among several policies is enough to see nothing of the others. */
function mostly<T>(allowing: T): fc.WeightedArbitrary<T> {
  return { weight: 1, arbitrary: fc.constant(allowing) };
}

const policy: fc.Arbitrary<Omit<PolicyConfiguration, "name">> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .oneof(mostly("true"), fc.constantFrom(...EXPRESSIONS))
      .map((expression) => ({ engine: "cel" as const, expression })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      engine: fc.constant("opa" as const),
      url: fc
        .oneof(mostly("always"), fc.constantFrom(...Object.keys(DOCUMENTS)))
        .map((document) => `https://opa.example/${document}`),
      timeout: fc.constant(5_000),
      forwardToken: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
      list: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      engine: fc.constant("authzen" as const),
      pdp: fc.constantFrom("https://pdp.example/always", "https://pdp.example/reads", "https://pdp.example/broken"),
      timeout: fc.constant(5_000),
      mapping: fc.constantFrom("default" as const, "full" as const),
      list: fc.boolean(),
    }),
  },
);

/** Rules that fit and one that fits no tool; the schemas of MCP servers' tools are unknown to explanations. */
const ruled = (rule: Omit<ArgumentRule, "argument">, argument = "amount"): McpAppConfiguration["rules"] => [
  { tools: ["/(get|create).*/"], arguments: [{ argument, ...rule }] },
];
const NO_SUCH_ARGUMENT = ruled({ hide: true }, "memo");
const rules = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ruled({ allow: [5, 100] }),
      ruled({ name: "quantity" }),
      ruled({ hide: true }),
      ruled({ fix: { value: 7 } }),
      ruled({ fix: { parts: [{ user: "department" }] } }, "unit"),
      NO_SUCH_ARGUMENT,
    ),
  },
);

const guard = fc.record({
  rules,
  pins: fc.constantFrom(undefined, { first: "trust" } as const),
  organization: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant(ORGANIZATION) },
  ),
  members: fc.oneof(mostly(undefined), fc.constantFrom("required", "any")),
  policies: fc
    .array(policy, { maxLength: 3 })
    .map((all) => all.map((one, index) => ({ ...one, name: `policy-${index}` }) as PolicyConfiguration)),
  inboundTools: fc.subarray([
    { name: "getNote", scopes: ["notes:read"] },
    { name: "/(create|delete).*/", scopes: ["notes:read", "notes:write"] },
  ]),
  stepUp: fc.subarray([
    { tools: ["deleteNote"], acr: ["strong"] },
    { tools: ["/.*Note/"], maxAge: 300_000 },
  ]),
});

const app = (name: string): fc.Arbitrary<McpAppConfiguration> =>
  guard.map(({ organization, members, rules: own, pins, ...guarded }) => {
    const fitting = name === "ledger" && own === NO_SUCH_ARGUMENT ? undefined : own;
    const owned = {
      ...(organization !== undefined && { organization }),
      ...(members !== undefined && { members }),
      ...(fitting !== undefined && { rules: fitting }),
    };
    if (name === "ledger") return proxyApp(name, { ...guarded, ...owned });
    const catalog = catalogs.get(name);
    if (catalog === undefined) throw new Error(`there is no API of ${name}`);
    const common = { type: "mcpBridge", name, baseURL: "https://api.example", timeout: 1_000, catalog } as const;
    return { ...common, outbound: { type: "unprotected" }, ...guarded, ...owned, ...(pins && { pins }) };
  });

const claims = fc.record(
  {
    sub: fc.constantFrom("a-person", "an-agent"),
    client_id: fc.constantFrom("an-agent", "another-agent"),
    scope: fc.constantFrom("", "notes:read", "notes:write notes:read"),
    roles: fc.subarray(["reader", "editor"]),
    acr: fc.constantFrom("strong", "weak"),
    auth_time: fc.constantFrom(NOW / 1_000 - 10, NOW / 1_000 - 1_000),
  },
  { requiredKeys: ["sub", "client_id", "scope"] },
);

export const scenario: fc.Arbitrary<Scenario> = fc.record({
  held: fc.oneof(mostly([]), fc.subarray(TOOLS)),
  apps: fc.tuple(app("notes"), app("mail"), app("ledger")),
  asksForTokens: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  caller: fc.record({ isOfThisInstance: fc.boolean(), claims }),
  tool: fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .tuple(fc.constantFrom("notes", "mail", "ledger"), fc.constantFrom(...TOOLS))
        .map((parts) => parts.join("_")),
    },
    { weight: 1, arbitrary: fc.constantFrom("nothing", "notes_nothing") },
  ),
  arguments: fc.constantFrom(
    '{"amount":5}',
    '{"amount":50}',
    '{"amount":12345678901234567890}',
    '{"amount":"a"}',
    "{}",
  ),
});

/** Policies of a scenario's tool. */
export function policiesOf({ apps, tool }: Scenario): readonly PolicyConfiguration[] {
  return apps.find(({ name }) => tool.startsWith(`${name}_`))?.policies ?? [];
}

export function proxyAppsOf({ apps }: Scenario): readonly McpProxyAppConfiguration[] {
  return apps.filter((app) => app.type === "mcpProxy");
}

export function argumentsOf({ arguments: text }: Scenario): { readonly read: unknown; readonly written: JsonObject } {
  return { read: JSON.parse(text), written: parseExact(text) as JsonObject };
}
