import fc from "fast-check";
import type { PolicyConfiguration } from "../../../lib/config/policy-engines.ts";
import type { WebAppConfiguration } from "../../../lib/config/web-app-configuration.ts";
import type { Identity, PersonIdentity, Principal } from "../../../lib/gateway/identity.ts";
import type { PolicyInput } from "../../../lib/policy/policy.ts";
import { webApp } from "../../support/web-app.ts";

/** A web app, who asks, and for what. */
export interface WebScenario {
  readonly app: WebAppConfiguration;
  /** Of the policy that takes the request. */
  readonly index: number;
  readonly identity: Principal | undefined;
  /** Of the person. */
  readonly memberOf: readonly string[];
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export const FIRST = "org_first";
const THEIRS = "org_theirs";
const ISSUERS = { own: "https://gateway.example", other: "https://corp.example" };

type Oracle = (scenario: WebScenario) => boolean;

const emailOf = ({ identity }: WebScenario) => identity?.user?.email;

/** What policies say, and what they should say. */
const EXPRESSIONS: Readonly<Record<string, Oracle>> = {
  true: () => true,
  false: () => false,
  'request.http.method == "GET"': ({ method }) => method === "GET",
  'request.http.path.startsWith("/reports/")': ({ path }) => path.startsWith("/reports/"),
  'request.http.host == "payroll.example" && request.http.path != "/admin"': ({ host, path }) =>
    host === "payroll.example" && path !== "/admin",
  'user.email == "ada@example.com"': (one) => emailOf(one) === "ada@example.com",
  'has(agent.clientID) || request.http.method == "GET"': ({ identity, method }) =>
    identity?.agent !== undefined || method === "GET",
  'request.mcp.method == "http"': () => false,
  "!has(request.mcp) && !has(request.http.headers.Cookie) && !has(request.http.headers.Authorization)": () => true,
  'request.http.headers["X-Kind"] == "a"': ({ headers }) => headers["x-kind"] === "a",
};

const DOCUMENTS: Readonly<Record<string, Oracle>> = {
  always: () => true,
  never: () => false,
  undecided: () => false,
  reads: ({ method }) => method === "GET",
  token: ({ identity, headers }) => identity?.agent !== undefined && headers.authorization !== undefined,
};

/** Servers of policies. */
export const webPolicyServers: typeof globalThis.fetch = async (url, init) => {
  const { input } = JSON.parse(String(init?.body)) as { input: PolicyInput };
  const { http } = input.request;
  const answers: Readonly<Record<string, unknown>> = {
    ...{ always: true, never: { allowed: false }, undecided: undefined },
    ...{ reads: http.method === "GET", token: http.headers?.Authorization !== undefined },
  };
  return Response.json({ result: answers[new URL(String(url)).pathname.slice(1)] });
};

const cel = fc
  .oneof({ weight: 2, arbitrary: fc.constant("true") }, fc.constantFrom(...Object.keys(EXPRESSIONS)))
  .map((expression) => ({ engine: "cel" as const, expression }));
const opa = fc
  .oneof({ weight: 2, arbitrary: fc.constant("always") }, fc.constantFrom(...Object.keys(DOCUMENTS)))
  .map((name) => ({
    ...{ engine: "opa" as const, url: `https://opa.example/${name}`, timeout: 5_000 },
    ...{ forwardToken: name === "token", list: false },
  }));
const policies = fc
  .array(fc.oneof(cel, opa), { maxLength: 3 })
  .map((all) => all.map((one, index) => ({ ...one, name: `policy-${index}` }) as PolicyConfiguration));

const policy: fc.Arbitrary<WebAppConfiguration["policies"][number]> = fc.record({
  location: fc.constant({ kind: "prefix" as const, path: "/" }),
  allowUnauthenticated: fc.boolean(),
  idps: fc.constant(["corp"]),
  bearer: fc.constantFrom(
    { audiences: ["payroll"], scopes: [] },
    { audiences: ["payroll"], scopes: ["reports:read"] },
    { audiences: ["payroll"], scopes: ["reports:read", "reports:write"] },
  ),
  policies,
});

const app: fc.Arbitrary<WebAppConfiguration> = fc
  .record({
    policies: fc.array(policy, { minLength: 1, maxLength: 3 }),
    owner: fc.constantFrom({}, { organization: THEIRS }, { isShared: true as const }),
    members: fc.constantFrom({}, { members: "required" as const }, { members: "any" as const }),
  })
  .map(({ owner, members, ...changes }) => webApp("payroll", { ...changes, ...owner, ...members }));

const user = fc.record({ sub: fc.constant("user_ada"), email: fc.constantFrom("ada@example.com", "ada@else.example") });
const common = { actChain: [], expiresAt: 1 };

const person: fc.Arbitrary<PersonIdentity> = user.map((one) => ({
  ...{ user: one, issuer: ISSUERS.own, scopes: [], memberId: "user_1" },
  ...common,
}));

const program: fc.Arbitrary<Identity> = fc
  .record({
    user: fc.option(user, { nil: undefined }),
    organizationId: fc.constantFrom(undefined, FIRST, THEIRS),
    scopes: fc.constantFrom([], ["reports:read"], ["reports:write", "reports:read"]),
  })
  .map(({ user: one, organizationId, scopes }) => ({
    ...{ agent: { clientID: "client_1" }, scopes, ...common },
    ...(one !== undefined && { user: one }),
    ...(organizationId === undefined
      ? { issuer: ISSUERS.other, claims: one === undefined ? { sub: "client_1" } : { sub: one.sub } }
      : { issuer: ISSUERS.own, organizationId }),
  }));

export const webScenario: fc.Arbitrary<WebScenario> = app.chain((one) =>
  fc
    .record({
      app: fc.constant(one),
      index: fc.nat({ max: one.policies.length - 1 }),
      identity: fc.oneof(
        { weight: 4, arbitrary: person },
        { weight: 4, arbitrary: program },
        { weight: 1, arbitrary: fc.constant(undefined) },
      ),
      memberOf: fc.subarray([FIRST, THEIRS]),
      method: fc.constantFrom("GET", "POST"),
      host: fc.constantFrom("payroll.example", "gateway.example"),
      path: fc.constantFrom("/", "/reports/1", "/admin"),
      headers: fc.constantFrom<Readonly<Record<string, string>>>(
        { authorization: "Bearer token", cookie: "a=b" },
        { "x-kind": "a", cookie: "a=b" },
      ),
    })
    .filter(({ identity, index }) => identity !== undefined || one.policies[index]?.allowUnauthenticated === true),
);

/** Why a request should be refused, said without the pipeline; undefined: it should not. */
export function expectedRefusal(scenario: WebScenario): string | undefined {
  const { app: asked, index, identity, memberOf } = scenario;
  const owner = asked.organization ?? FIRST;
  const { agent, user: someone, organizationId } = identity ?? {};
  if (agent !== undefined && !asked.isShared) {
    const isThere = organizationId === undefined ? asked.organization === undefined : organizationId === owner;
    if (!isThere) return "other_organization";
  }
  if (asked.members === "required" && someone !== undefined) {
    const wanted = asked.isShared ? (organizationId ?? (agent === undefined ? undefined : owner)) : owner;
    const belongs = wanted === undefined ? memberOf.length > 0 : memberOf.includes(wanted);
    if (!belongs) return "not_a_member";
  }
  const { bearer, policies: all = [] } = asked.policies[index] ?? {};
  const lacks = bearer?.scopes.some((scope) => !identity?.scopes.includes(scope)) ?? false;
  if (agent !== undefined && lacks) return "insufficient_scope";
  return all.every((one) => oracleOf(one)(scenario)) ? undefined : "policy";
}

function oracleOf(one: PolicyConfiguration): Oracle {
  const found =
    "expression" in one
      ? EXPRESSIONS[one.expression]
      : DOCUMENTS[new URL((one as { url: string }).url).pathname.slice(1)];
  if (found === undefined) throw new Error(`there is no oracle of ${one.name}`);
  return found;
}
