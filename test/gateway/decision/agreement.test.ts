import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { webRequested } from "../../../lib/audit/event.ts";
import type { Configuration } from "../../../lib/config/configuration.ts";
import { createPolicies } from "../../../lib/config/policy-engines.ts";
import { appendRefusal, describeSubject } from "../../../lib/gateway/audit-call.ts";
import { admitCalls, type CallPorts } from "../../../lib/gateway/call-tool.ts";
import { decide, explainDecision, firstVisible } from "../../../lib/gateway/decision/decide.ts";
import type { Asked, DecisionPorts } from "../../../lib/gateway/decision/step.ts";
import { askedWebRequest, webPolicySets } from "../../../lib/gateway/decision/web-request.ts";
import { explainCall } from "../../../lib/gateway/explain/explain-call.ts";
import type { Explanation } from "../../../lib/gateway/explain/explanation.ts";
import { GatewayError } from "../../../lib/gateway/gateway-error.ts";
import { identityFromClaims } from "../../../lib/gateway/inbound/claims.ts";
import { type BridgePorts, callableTools } from "../../../lib/gateway/invoke-bridged.ts";
import { type ListingPorts, listTools } from "../../../lib/gateway/list-tools.ts";
import { ANY_ORGANIZATION, membershipsWithoutStore } from "../../../lib/gateway/memberships.ts";
import { NO_REPORTS, type ToolCall } from "../../../lib/gateway/tool-call.ts";
import { createToolIndex, scopesOf } from "../../../lib/gateway/tool-index.ts";
import { createToolTerms } from "../../../lib/gateway/tool-terms.ts";
import { ALONE, createLimiter } from "../../../lib/limits/create-limiter.ts";
import { createLimits } from "../../../lib/limits/limits.ts";
import { createSchemaCheck } from "../../../lib/openapi/validation.ts";
import { compileCel } from "../../../lib/policy/cel/compile.ts";
import { ExpressionError } from "../../../lib/policy/cel/syntax.ts";
import { typeCheck } from "../../../lib/policy/cel/type-check.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";

import { policyInput } from "../../policy/input.ts";
import { NO_REGISTRATION } from "../../support/configuration.ts";
import {
  argumentsOf,
  NOW,
  policiesOf,
  policyServers,
  proxyAppsOf,
  type Scenario,
  scenario,
  TOOLS,
} from "./scenarios.ts";
import {
  expectedRefusal,
  FIRST as FIRST_OWNER,
  type WebScenario,
  webPolicyServers,
  webScenario,
} from "./web-scenarios.ts";

/** 10,000 take a minute; `COUNTERSIGN_CASES` says how many. */
const CASES = Number(process.env.COUNTERSIGN_CASES ?? 300);

const ISSUERS = { own: "https://gateway.example", other: "https://corp.example" };
const AUDIENCE = "https://gateway.example/mcp";
const clock = { now: () => NOW };

describe("the decision", () => {
  test("of a call is what `explain` says and what the list shows", async () => {
    await fc.assert(fc.asyncProperty(scenario, agree), { numRuns: CASES });
  }, 600_000);

  test("of a request for a web app is what its explanation says, what a model of it expects, and what is recorded", async () => {
    await fc.assert(fc.asyncProperty(webScenario, agreeOnRequest), { numRuns: CASES });
  }, 600_000);

  test("is not explained as allowed where a policy is shown a token that nobody has", async () => {
    const policy = {
      engine: "opa",
      name: "by-token",
      url: "https://opa.example/tokenless",
      timeout: 1,
      forwardToken: true,
      list: false,
    } as const;
    const [drawn = expect.fail()] = fc.sample(scenario, { numRuns: 1, seed: 1 });
    const apps = drawn.apps.map(({ organization: _, ...app }) => ({
      ...app,
      policies: [policy],
      inboundTools: [],
      stepUp: [],
    }));
    const asked: Scenario = { ...drawn, apps, asksForTokens: true, tool: "notes_getNote", arguments: "{}" };
    expect((await called(asked)).refusal?.code).toBe("denied_by_policy");
    const { decision, steps } = await explained(asked);
    expect(decision).toBe("denied");
    expect(steps.find(({ name }) => name === "by-token")?.why).toMatch(/^cannot be asked: .*forwardToken/);
    await agree(asked);
  });

  test("is left to no policy that misspells a member: `||` forgives the error, and the call would be allowed", () => {
    const misspelt = (path: string) => `${path} != "tools/call" || request.mcp.tool.params.name == "getNote"`;
    expect(compileCel(misspelt("request.mpc.method"), "cel").decide(policyInput()).outcome).toBe("allowed");
    const paths = ["request.mcp.method", "request.http.path", "request.mcp.tool.params.name", "agent.clientID"];
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.nat(), fc.boolean(), (path, at, isDoubled) => {
        const start = path.indexOf(".") + 1;
        const letters = [...path.slice(start).matchAll(/\w/g)].map(({ index }) => start + index);
        const place = letters[at % letters.length] as number;
        const wrong = path.slice(0, place) + (isDoubled ? path[place]?.repeat(2) : "") + path.slice(place + 1);
        expect(() => typeCheck(misspelt(path))).not.toThrow();
        expect(() => typeCheck(misspelt(wrong)), wrong).toThrow(ExpressionError);
      }),
    );
  });
});

/** The call, its explanation and the list say the same, and the record says why. */
async function agree(asked: Scenario): Promise<void> {
  const [call, explanation, shown] = [await called(asked), await explained(asked), await listed(asked)];
  const { refusal, records } = call;
  expect(await found(asked)).toEqual(shown);

  // A hidden tool is one that nobody has; the record knows better.
  const isShown = shown.includes(asked.tool);
  expect(refusal?.code === "unknown_tool" || refusal?.code === "tool_held").toBe(!isShown);
  if (refusal?.code === "tool_held") expect(isHeld(asked)).toBe(true);
  const { reason, policy } = records[0] ?? {};
  if (isShown) expect(records.length).toBe(refusal === undefined ? 0 : 1);
  if (records.length > 0 && !isShown)
    expect(["policy", "no_rule", "not_a_member", "rules_do_not_fit", "tool_held"]).toContain(reason);

  const denied = explanation.steps.filter(({ decision }) => decision === "denied");
  const asksUnknown = policiesOf(asked).some((one) => one.engine === "opa" && one.forwardToken);
  if (asksUnknown) {
    expect(explanation.decision).toBe("denied");
    return;
  }
  expect(explanation.decision).toBe(refusal === undefined ? "allowed" : "denied");
  if (isHeld(asked)) {
    expect([isShown, denied.some(({ step }) => step === "pin")]).toEqual([false, true]);
    if (refusal?.code === "tool_held") expect([denied[0]?.step, reason]).toEqual(["pin", "tool_held"]);
    return;
  }
  expect(denied.some(({ step }) => step === "tool" || step === "lists")).toBe(!isShown);
  if (refusal !== undefined && isShown) expect(denied[0]?.step).toBe(STEPS[refusal.code]);
  if (policy !== undefined) expect(denied.map(({ name }) => name)).toContain(policy);
}

/** The decision, its explanation, its record and the model say the same of a request for a web app. */
async function agreeOnRequest(scenario: WebScenario): Promise<void> {
  const { app, identity, index, memberOf, method, host, path, headers } = scenario;
  const sent = new Headers(headers);
  const request = { requestId: "request", remoteAddress: undefined, logger: SILENT, waitUntil: () => undefined };
  const caller = { identity, http: { method, url: `https://${host}${path}`, headers: sent }, request };
  const input = { method, host, path, query: "", headers: sent, isWithheld: () => false };
  const asked = askedWebRequest(app, index, input, caller as unknown as Asked["caller"]);
  const ports: DecisionPorts = {
    policies: createPolicies(webPolicySets([app]), { fetch: webPolicyServers, clock }),
    organizationOf: async ({ organization }) => organization ?? FIRST_OWNER,
    instanceStops: NOTHING_STOPPED,
    memberships: {
      areRequired: ({ members }) => members === "required",
      isMember: (_, one) => (one === ANY_ORGANIZATION ? memberOf.length > 0 : memberOf.includes(one)),
    },
    clock,
    scopes: [],
  };
  const [refusal, findings] = [await decide(asked, ports), await explainDecision(asked, ports)];
  expect(refusal?.reason).toBe(expectedRefusal(scenario));
  expect(findings.find(({ outcome }) => outcome === "refuse")).toEqual(
    refusal && { ...refusal, step: expect.any(String) },
  );
  if (refusal?.reason === undefined) return;
  const records: AuditEvent[] = [];
  const audit = {
    ...ports,
    ...recordingPorts,
    refusals: { record: async (event: AuditEvent) => void records.push(event) },
  };
  const fields = { ...webRequested({ app: app.name, method, host, path, status: 403 }), appConfiguration: app };
  const event = await describeSubject("denied", fields, asked.caller, audit);
  await appendRefusal({ ...event, reason: refusal.reason }, asked.caller, audit);
  const who = { agent: identity?.agent?.clientID, user: identity?.user?.sub };
  expect(records).toMatchObject([
    { type: "web.requested", outcome: "denied", app: "payroll", reason: refusal.reason, details: { path, host } },
  ]);
  expect(records[0]).toMatchObject({ organizationId: app.organization ?? FIRST_OWNER });
  expect([records[0]?.agent, records[0]?.user, records[0]?.actor]).toEqual([
    who.agent,
    who.user,
    who.agent ?? who.user,
  ]);
}

const recordingPorts = {
  configuration: () => ({ revision: 1, configuration: {} as Configuration }),
  random: { bytes: (length: number) => new Uint8Array(length) },
  stores: { auditLog: { begin: neverAsked, complete: neverAsked } },
};

const STEPS: Partial<Record<GatewayError["code"], Explanation["steps"][number]["step"]>> = {
  insufficient_scope: "scopes",
  insufficient_authentication: "sign-in",
  denied_by_policy: "policy",
  denied_by_rule: "rules",
  invalid_arguments: "rules",
};

async function explained(asked: Scenario): Promise<Explanation> {
  const { caller, tool } = asked;
  const iss = caller.isOfThisInstance ? ISSUERS.own : ISSUERS.other;
  const call = { tool, claims: { ...caller.claims, iss, aud: AUDIENCE }, arguments: argumentsOf(asked).written };
  return explainCall(call, configurationOf(asked), { fetch: policyServers, clock, pins: pinsOf(asked) });
}

/** Whether the call is of a tool that has changed. */
function isHeld({ apps, held, tool }: Scenario): boolean {
  return apps.some(({ name, pins }) => pins !== undefined && held.some((one) => tool === `${name}_${one}`));
}

function pinsOf({ held }: Scenario): NonNullable<DecisionPorts["pins"]> {
  return { statesOf: async (_, asked) => asked.map(({ tool }) => (held.includes(tool) ? "held" : "approved")) };
}

function configurationOf({ apps, asksForTokens }: Scenario): Configuration {
  const servers = Object.values(ISSUERS).map((issuer) => ({
    wellKnownEndpoint: `${issuer}/.well-known/openid-configuration`,
    expectedAudiences: [AUDIENCE],
    clockSkew: 0,
  }));
  const mcpProvider = { stream: { path: "/mcp" }, oauth: { enabled: asksForTokens, servers } };
  const endpoints = { wellKnown: servers[0]?.wellKnownEndpoint };
  const oidcProvider = { issuer: ISSUERS.own, endpoints, registration: NO_REGISTRATION };
  return { publicURL: ISSUERS.own, apps, limits: [], mcpProvider, oidcProvider } as unknown as Configuration;
}

interface Recorded {
  readonly reason: string | undefined;
  readonly policy: string | undefined;
}

async function called(
  asked: Scenario,
): Promise<{ readonly refusal?: GatewayError; readonly records: readonly Recorded[] }> {
  const records: Recorded[] = [];
  const note = async ({ reason, details }: AuditEvent) => void records.push({ reason, policy: details?.policy });
  const { read, written } = argumentsOf(asked);
  const { agent, ...caller } = callerOf(asked);
  const params = { name: asked.tool, arguments: written };
  const call: ToolCall = {
    ...caller,
    name: asked.tool,
    arguments: read,
    agent: { ...agent, params: () => params },
    reports: NO_REPORTS,
  };
  const admitted = await admitCalls([call], portsOf(asked, note));
  const [refusal] = admitted instanceof GatewayError ? [admitted] : admitted;
  return { records, ...(refusal instanceof GatewayError && { refusal }) };
}

async function listed(asked: Scenario): Promise<readonly string[]> {
  return (await listTools(callerOf(asked), portsOf(asked))).map(({ name }) => name);
}

/** What a search that has room for everything finds. */
async function found(asked: Scenario): Promise<readonly string[]> {
  const proxied = proxyAppsOf(asked).flatMap((app) =>
    TOOLS.map((name) => ({
      app,
      tool: { name: `${app.name}_${name}`, localName: name },
      ...createToolTerms(app)(name),
    })),
  );
  const all = [...createToolIndex(asked.apps).values(), ...proxied];
  return (await firstVisible(all, 1_000, callerOf(asked), portsOf(asked))).map(({ tool }) => tool.name);
}

/** Agents of this instance are of the organization whose app they call, as an explanation takes them to be. */
function callerOf({ apps, asksForTokens, caller, tool }: Scenario): Omit<ToolCall, "name" | "arguments" | "reports"> {
  const issuer = caller.isOfThisInstance ? ISSUERS.own : ISSUERS.other;
  const read = identityFromClaims({ ...caller.claims, iss: issuer, aud: AUDIENCE, exp: NOW / 1_000 + 60 }, issuer);
  if (read.outcome !== "accepted") throw new Error("the claims are those of no agent");
  const called = apps.find(({ name }) => tool.startsWith(`${name}_`));
  const organizationId = called?.organization ?? FIRST;
  return {
    identity: asksForTokens ? { ...read.identity, ...(caller.isOfThisInstance && { organizationId }) } : undefined,
    token: "token",
    request: {
      requestId: "request",
      remoteAddress: undefined,
      logger: SILENT,
      authenticated: () => undefined,
      waitUntil: () => undefined,
    },
    http: { method: "POST", url: AUDIENCE, headers: new Headers({ authorization: "Bearer token" }) },
    signal: new AbortController().signal,
    agent: { generation: "session", clientCapabilities: {}, params: () => ({}) } as unknown as ToolCall["agent"],
  };
}

const FIRST = "org_first";
const check = createSchemaCheck();
const SILENT: ToolCall["request"]["logger"] = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  with: () => SILENT,
};

function portsOf(asked: Scenario, append?: (event: AuditEvent) => Promise<void>): CallPorts & ListingPorts {
  // None of them is invoked; policies may read the requests that they would make.
  const tools = callableTools(createToolIndex(asked.apps), { check } as BridgePorts);
  const apps = proxyAppsOf(asked);
  const entries = TOOLS.map((name) => ({
    name: `ledger_${name}`,
    upstreamName: name,
    localName: name,
    annotations: {},
    definition: { name: `ledger_${name}`, inputSchema: { type: "object", properties: { amount: {}, unit: {} } } },
  }));
  const list = { kind: "tools", entries, byName: new Map(entries.map((entry) => [entry.name, entry])) };
  return {
    tools,
    clock,
    configuration: () => ({ configuration: configurationOf(asked) }),
    search: undefined,
    scopes: scopesOf(asked.apps),
    policies: createPolicies(asked.apps, { fetch: policyServers, clock }),
    mcpProvider: configurationOf(asked).mcpProvider,
    organizationOf: async ({ organization }: { readonly organization?: string }) => organization ?? FIRST,
    instanceStops: NOTHING_STOPPED,
    pins: pinsOf(asked),
    memberships: membershipsWithoutStore(configurationOf(asked)),
    deniedCalls: { take: () => true },
    limits: createLimits(
      [],
      createLimiter({ stores: { limits: { lease: neverAsked } }, clock, logger: { warn: neverAsked } }, ALONE),
    ),
    refusals: { record: append },
    random: { bytes: (length: number) => new Uint8Array(length) },
    proxies: {
      apps,
      catalogs: { fresh: () => list, last: () => list, get: async () => list, renew: async () => list },
      generations: { known: () => undefined },
      hiddenNames: { tell: () => undefined },
      termsOf: (app: (typeof apps)[number], name: string) => createToolTerms(app)(name),
    },
  } as unknown as CallPorts & ListingPorts;
}

function neverAsked(): never {
  throw new Error("there are no limits");
}
