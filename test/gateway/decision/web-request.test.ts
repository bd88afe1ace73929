import { describe, expect, test } from "vitest";
import { createPolicies, type PolicyConfiguration } from "../../../lib/config/policy-engines.ts";
import type { WebAppConfiguration } from "../../../lib/config/web-app-configuration.ts";
import { decide, explainDecision } from "../../../lib/gateway/decision/decide.ts";
import type { PolicyCaller, WebRequestInput } from "../../../lib/gateway/decision/policy-input.ts";
import type { Asked, DecisionPorts } from "../../../lib/gateway/decision/step.ts";
import { askedWebRequest, webPolicySets } from "../../../lib/gateway/decision/web-request.ts";
import type { Identity, PersonIdentity, Principal } from "../../../lib/gateway/identity.ts";
import { ANY_ORGANIZATION } from "../../../lib/gateway/memberships.ts";
import { ALLOWED, DENIED, type Policy, type PolicyInput } from "../../../lib/policy/policy.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import { indexStops } from "../../../lib/stores/stop-subjects.ts";
import type { Stop } from "../../../lib/stores/stops.ts";
import { webApp } from "../../support/web-app.ts";

const ADA: PersonIdentity = {
  user: { sub: "user_ada", department: "finance" },
  ...{ issuer: "https://gateway.example", memberId: "user_1", scopes: [], actChain: [], expiresAt: 1 },
};
const PROGRAM: Identity = {
  agent: { clientID: "client_1" },
  organizationId: "org_1",
  ...{ issuer: "https://gateway.example", scopes: ["reports:read"], actChain: [], expiresAt: 1, claims: { jti: "1" } },
};

interface Given {
  readonly app?: WebAppConfiguration;
  /** The place of the policy. */
  readonly index?: number;
  readonly identity?: Principal | undefined;
  readonly http?: Partial<WebRequestInput>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly attributes?: PolicyCaller["attributes"];
  readonly ports?: Partial<DecisionPorts>;
}

function given({ app = webApp("payroll"), index = 0, headers = {}, http = {}, attributes, ports, ...who }: Given) {
  const identity = "identity" in who ? who.identity : ADA;
  const sent = new Headers(headers);
  const caller = {
    ...{ identity, http: { method: "GET", url: "https://x.example/", headers: sent } },
    request: { remoteAddress: "192.0.2.7", logger: { warn: () => undefined }, waitUntil: () => undefined },
    ...(attributes && { attributes }),
  } as unknown as PolicyCaller;
  const input: WebRequestInput = {
    ...{ method: "GET", host: "payroll.example", path: "/reports/1", query: "?year=2026&year=2027", headers: sent },
    isWithheld: (name) => name.replace(/[_.]/g, "-") === "x-user",
    ...http,
  };
  const all: DecisionPorts = {
    policies: createPolicies(webPolicySets([app]), { fetch: async () => Response.error(), clock: { now: () => 0 } }),
    organizationOf: async ({ organization }) => organization ?? "org_1",
    instanceStops: NOTHING_STOPPED,
    memberships: { areRequired: ({ members }) => members === "required", isMember: () => false },
    clock: { now: () => 0 },
    scopes: [],
    ...ports,
  };
  return { asked: askedWebRequest(app, index, input, caller), ports: all };
}

function decided(one: Given) {
  const { asked, ports } = given(one);
  return decide(asked, ports);
}

const cel = (expression: string, name = "cel"): PolicyConfiguration => ({ engine: "cel", name, expression });

function guarded(expression: string, changes: Partial<WebAppConfiguration["policies"][number]> = {}) {
  const [open] = webApp("payroll").policies;
  return webApp("payroll", {
    policies: [{ ...(open as NonNullable<typeof open>), policies: [cel(expression)], ...changes }],
  });
}

/** A policy that keeps what it is asked. */
function noting(policy: Partial<Policy> = {}) {
  const inputs: PolicyInput[] = [];
  const noted = {
    ...{ name: "noting", cost: "remote", decidesOnListing: true, seesToken: true, list: async () => DENIED },
    decide: async (input: PolicyInput) => {
      inputs.push(structuredClone({ ...input, request: { http: { ...input.request.http } } }));
      return ALLOWED;
    },
    ...policy,
  } as Policy;
  return { inputs, ports: { policies: new Map([["payroll#0", [noted]]]) } };
}

describe("a request for a web app is decided by a policy that reads", () => {
  test.each<[what: string, expression: string, one?: Given]>([
    ["the path", 'request.http.path == "/reports/1"'],
    ["the host", 'request.http.host == "payroll.example"'],
    ["the method", 'request.http.method == "GET"'],
    ["the query, with all its values", 'request.http.query.year == ["2026", "2027"]'],
    ["a header", 'request.http.headers["X-Kind"] == "a"', { headers: { "x-kind": "a" } }],
    ["the address", 'request.http.remoteAddress == "192.0.2.7"'],
    ["the person, for whom no agent acts", 'user.department == "finance" && !has(agent.clientID)'],
    ["the program", 'agent.clientID == "client_1" && !has(user.sub)', { identity: PROGRAM }],
    ["that it is no request of an agent to an MCP app", "!has(request.mcp)"],
  ])("%s", async (_, expression, one = {}) => {
    expect(await decided({ ...one, app: guarded(expression) })).toBeUndefined();
    expect(await decided({ ...one, app: guarded(`!(${expression})`) })).toMatchObject({ code: "denied_by_policy" });
  });

  test("what is not there, and so fails and denies", async () => {
    const refusal = await decided({ app: guarded('request.mcp.app == "payroll"') });
    expect(refusal).toMatchObject({ reason: "policy", details: { policy: "cel" } });
  });

  test("of its own location, and not of another of the app", async () => {
    const [one, other] = [guarded("true").policies[0], guarded("false").policies[0]];
    const app = webApp("payroll", { policies: [one, other] as WebAppConfiguration["policies"] });
    expect(await decided({ app })).toBeUndefined();
    expect(await decided({ app, index: 1 })).toMatchObject({ code: "denied_by_policy" });
    expect(() => given({ app, index: 2 })).toThrow("has no policy 2");
  });
});

describe("26. policies learn nothing of a request for a web app", () => {
  const headers = {
    authorization: "Bearer secret-token",
    "proxy-authorization": "Basic secret",
    cookie: "__Host-countersign=secret",
    "x-user": "mallory",
    x_user: "mallory",
    accept: "text/html",
  };

  test("that is a credential, a cookie, or a header of ours in whichever spelling", async () => {
    const { inputs, ports } = noting({ seesToken: false } as Partial<Policy>);
    expect(await decided({ headers, ports })).toBeUndefined();
    expect(inputs[0]?.request.http.headers).toEqual({ Accept: "text/html" });
    expect(JSON.stringify(inputs)).not.toMatch(/secret|mallory/);
  });

  test.each<[who: string, identity: Principal, shown: string | undefined]>([
    ["a program's own token", PROGRAM, "Bearer secret-token"],
    ["nothing of a person, whose header nobody verified", ADA, undefined],
  ])("but one that is shown the token: %s", async (_, identity, shown) => {
    const { inputs, ports } = noting();
    await decided({ headers, identity, ports });
    expect(inputs[0]?.request.http.headers?.Authorization).toBe(shown);
  });

  test("of claims by connector, which comparisons alone read", async () => {
    const attributes = { corp: { groups: ["payroll"] } };
    const bodies: string[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      bodies.push(String(init?.body));
      return Response.json({ result: true });
    };
    const settings = { name: "opa", url: "https://opa.example/", timeout: 1_000, forwardToken: false, list: false };
    const policies = createPolicies([{ name: "payroll#0", policies: [{ engine: "opa", ...settings }] }], {
      fetch,
      clock: { now: () => 0 },
    });
    expect(await decided({ attributes, ports: { policies } })).toBeUndefined();
    expect(bodies[0]).toContain("payroll.example");
    expect(bodies[0]).not.toContain("groups");
    expect(() => given({ app: guarded("has(attributes.corp)"), attributes })).toThrow("attributes");
    const { inputs, ports } = noting();
    await decided({ attributes, ports });
    expect(inputs[0]?.attributes).toEqual(attributes);
  });
});

describe("a web app is there", () => {
  const mine = (organizations: readonly string[]): Partial<DecisionPorts> => ({
    memberships: {
      areRequired: ({ members }) => members === "required",
      isMember: (_, one) => (one === ANY_ORGANIZATION ? organizations.length > 0 : organizations.includes(one)),
    },
  });
  const OWNED = { organization: "org_1" };
  const required = { members: "required" } as const;
  const shared = { isShared: true } as const;
  const elsewhere = { ...PROGRAM, organizationId: "org_2" };
  const { organizationId: _, ...foreign } = PROGRAM;

  test.each<[who: string, identity: Principal, app: Partial<WebAppConfiguration>, of: readonly string[], not?: string]>(
    [
      ["for a person, where nobody has to belong", ADA, OWNED, []],
      ["for a person of its organization", ADA, { ...OWNED, ...required }, ["org_1"]],
      ["not for a person of another", ADA, { ...OWNED, ...required }, ["org_2"], "not_a_member"],
      ["not for a person of none", ADA, required, [], "not_a_member"],
      ["for a person of the first organization, where it is of none", ADA, required, ["org_1"]],
      ["for a person of any, where it is shared", ADA, { ...shared, ...required }, ["org_2"]],
      ["not for a person of none, where it is shared", ADA, { ...shared, ...required }, [], "not_a_member"],
      ["for a program of its organization", PROGRAM, { ...OWNED, ...required }, []],
      ["not for a program of another", elsewhere, OWNED, [], "other_organization"],
      ["for a program of another, where it is shared", elsewhere, shared, []],
      ["not for a program of another issuer, where it has an owner", foreign, OWNED, [], "other_organization"],
      [
        "not for a program that acts for a stranger",
        { ...PROGRAM, user: { sub: "bob" } },
        required,
        [],
        "not_a_member",
      ],
    ],
  )("%s", async (_, identity, changes, of, reason) => {
    const refusal = await decided({ app: webApp("payroll", changes), identity, ports: mine(of) });
    expect(refusal?.reason).toBe(reason);
    if (reason !== undefined) expect(refusal?.code).toBe("not_admitted");
  });

  test("with the scopes of its policy for programs alone", async () => {
    const bearer = { audiences: ["payroll"], scopes: ["reports:read", "reports:write"] };
    const app = guarded("true", { bearer });
    expect(await decided({ app, identity: PROGRAM })).toMatchObject({
      code: "insufficient_scope",
      message: "The token lacks a scope that this request needs.",
      needs: { scopes: bearer.scopes },
    });
    expect(await decided({ app, identity: { ...PROGRAM, scopes: bearer.scopes } })).toBeUndefined();
    expect(await decided({ app })).toBeUndefined();
  });

  test("for nobody unless its policy is open", async () => {
    expect(() => given({ identity: undefined })).toThrow("by nobody came as far as its decision");
    expect(await decided({ app: guarded("!has(user.sub)", { allowUnauthenticated: true }), identity: undefined })).toBe(
      undefined,
    );
  });

  test.each<[kind: Stop["target"]["kind"], id: string, code: string | undefined]>([
    ["app", "payroll", "stopped"],
    ["upstream", "https://payroll.internal.example", "stopped"],
    ["app", "wiki", undefined],
    ["tool", "payroll/http", undefined],
  ])("unless it is stopped: %s %s", async (kind, id, code) => {
    const stop: Stop = { stopId: "stop_1", target: { kind, id }, state: "suspended", at: 0, reason: "why", by: "ada" };
    const instanceStops = { current: () => indexStops([stop]) };
    expect((await decided({ ports: { instanceStops } }))?.code).toBe(code);
  });

  test("and its refusals are told, also where a policy would hide a tool", async () => {
    const { ports } = noting({ decide: async () => DENIED } as Partial<Policy>);
    expect(await decided({ ports })).toMatchObject({ code: "denied_by_policy", details: { policy: "noting" } });
  });
});

test("an explanation of a request for a web app has a finding of every step", async () => {
  const { asked, ports } = given({ app: guarded('request.http.path.startsWith("/admin")') });
  const findings = await explainDecision(asked satisfies Asked, ports);
  expect(findings.map(({ step, outcome, why }) => [step, outcome, why])).toEqual([
    ["locate", "allow", ""],
    ["scopes", "allow", "none is needed"],
    ["step-up", "allow", "any will do"],
    ["policies", "refuse", "denies the request"],
  ]);
});
