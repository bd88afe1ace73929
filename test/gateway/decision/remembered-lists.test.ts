import { describe, expect, test } from "vitest";
import { visibleTools } from "../../../lib/gateway/decision/decide.ts";
import type { PolicyCaller } from "../../../lib/gateway/decision/policy-input.ts";
import type { ListCandidate, ListPorts } from "../../../lib/gateway/decision/step.ts";
import type { Identity } from "../../../lib/gateway/identity.ts";
import { compileCel } from "../../../lib/policy/cel/compile.ts";
import type { LocalPolicy } from "../../../lib/policy/policy.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import { proxyApp } from "../../proxy/tools/proxying-gateway.ts";

const LEDGER = proxyApp("ledger");
const NAMES = Array.from({ length: 100 }, (_, index) => `tool_${index}`);
const ADA: Identity = {
  user: { sub: "ada" },
  agent: { clientID: "agent" },
  issuer: "https://issuer.example",
  scopes: [],
  actChain: [],
  claims: { sub: "ada", roles: ["clerk"] },
  expiresAt: 0,
};

/** Lists that one policy decides on, with how often it was asked. */
function deciding(expression: string) {
  const compiled = compileCel(expression, "cel") as LocalPolicy;
  let asked = 0;
  const decide: LocalPolicy["decide"] = (input) => {
    asked += 1;
    return compiled.decide(input);
  };
  const policy = { ...compiled, decide };
  const ports: ListPorts = {
    policies: new Map(["ledger", "weather"].map((name) => [name, [policy]])),
    mcpProvider: {},
    organizationOf: async () => undefined,
    instanceStops: NOTHING_STOPPED,
    memberships: { areRequired: () => false, isMember: () => true },
  };
  return {
    asked: () => asked,
    async shown(names: readonly string[], identity: Identity | undefined = ADA, more: Shown = {}) {
      const { app = LEDGER, headers = {} } = more;
      const http = new Request("https://gateway.example/mcp", { headers });
      const caller = { identity, http, request: { logger: { warn: () => undefined } } } as unknown as PolicyCaller;
      const tools: readonly ListCandidate[] = names.map((localName) => ({ app, tool: { localName } }));
      return (await visibleTools(tools, caller, ports)).map(({ tool }) => tool.localName);
    },
  };
}

interface Shown {
  readonly app?: typeof LEDGER;
  readonly headers?: Readonly<Record<string, string>>;
}

const NOT_SEVEN = '"clerk" in token.claims.roles && request.mcp.tool.params.name != "tool_7"';
const WITHOUT_SEVEN = NAMES.filter((name) => name !== "tool_7");

describe("a policy that reads the caller and the tool's name", () => {
  test("decides once on a list that one caller asks for again", async () => {
    const { shown, asked } = deciding(NOT_SEVEN);
    expect(await shown(NAMES)).toEqual(WITHOUT_SEVEN);
    expect(await shown([...NAMES], structuredClone(ADA))).toEqual(WITHOUT_SEVEN);
    expect(asked()).toBe(NAMES.length);
  });

  test.each<[string, Identity | undefined]>([
    ["another claim", { ...ADA, claims: { sub: "ada", roles: ["guest"] } }],
    ["nobody's token", { ...ADA, claims: {} }],
  ])("decides anew for %s", async (_, other) => {
    const { shown } = deciding(NOT_SEVEN);
    expect(await shown(NAMES)).toEqual(WITHOUT_SEVEN);
    expect(await shown(NAMES, other)).toEqual([]);
    expect(await shown(NAMES)).toEqual(WITHOUT_SEVEN);
  });

  test.each([
    ["person", 'user.sub == "ada"', { ...ADA, user: { sub: "bob" } }],
    ["agent", 'agent.clientID == "agent"', { ...ADA, agent: { clientID: "other" } }],
  ])("decides anew for another %s with the same claims", async (_, expression, other) => {
    const { shown } = deciding(expression);
    expect(await shown(NAMES)).toEqual(NAMES);
    expect(await shown(NAMES, other)).toEqual([]);
  });

  test("decides anew on another app's list, and on one with another name, more or in another order", async () => {
    const { shown } = deciding(`${NOT_SEVEN} && request.mcp.app == "ledger"`);
    expect(await shown(NAMES)).toEqual(WITHOUT_SEVEN);
    expect(await shown(NAMES, ADA, { app: proxyApp("weather") })).toEqual([]);
    const renamed = NAMES.with(7, "tool_x").with(8, "tool_7");
    expect(await shown(renamed)).toEqual(renamed.toSpliced(8, 1));
    expect(await shown(NAMES.toReversed())).toEqual(WITHOUT_SEVEN.toReversed());
    expect(await shown([...NAMES, "tool_more"])).toEqual([...WITHOUT_SEVEN, "tool_more"]);
  });
});

test("a policy that reads the request decides on each list", async () => {
  const { shown, asked } = deciding('request.mcp.http.headers["Shown"] == "yes"');
  expect(await shown(NAMES, ADA, { headers: { shown: "yes" } })).toEqual(NAMES);
  expect(await shown(NAMES, ADA, { headers: { shown: "no" } })).toEqual([]);
  expect(asked()).toBe(2 * NAMES.length);
});
