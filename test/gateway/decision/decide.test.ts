import { describe, expect, test } from "vitest";
import type { McpAppConfiguration } from "../../../lib/config/app-configuration.ts";
import { decide } from "../../../lib/gateway/decision/decide.ts";
import type { Asked, DecisionPorts } from "../../../lib/gateway/decision/step.ts";
import { ALLOWED, DENIED, type Decision, type Policy } from "../../../lib/policy/policy.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import { proxyApp } from "../../proxy/tools/proxying-gateway.ts";

/** Policies that note when they are asked and when they have answered. */
function noting() {
  const noted: string[] = [];
  const later = async (name: string, decision: Decision) => {
    noted.push(`${name}?`);
    await Promise.resolve();
    noted.push(`${name}!`);
    return decision;
  };
  const remote = (name: string, decision: Decision, list?: Decision): Policy => ({
    cost: "remote",
    name,
    decidesOnListing: list !== undefined,
    seesToken: false,
    decide: () => later(name, decision),
    list: () => later(`${name} lists`, list ?? ALLOWED),
  });
  const local = (name: string, decision: Decision, decidesOnListing = false): Policy => ({
    cost: "local",
    name,
    decidesOnListing,
    readsCallerAlone: false,
    decide: () => {
      noted.push(name);
      return decision;
    },
  });
  return { noted, remote, local };
}

const app: McpAppConfiguration = proxyApp("ledger");
const resource: Asked["subject"] = { method: "resources/read", resource: { uri: "file:///a" } };
const tool: Asked["subject"] = { method: "tools/call", tool: { params: { name: "pay", arguments: {} } } };

function decided(policies: readonly Policy[], subject: Asked["subject"], scopes: readonly string[] = []) {
  const logger = { warn: () => undefined };
  const caller = { identity: undefined, http: new Request("https://gateway.example/mcp"), request: { logger } };
  const ports: DecisionPorts = {
    policies: new Map([[app.name, policies]]),
    mcpProvider: {},
    organizationOf: async () => undefined,
    instanceStops: NOTHING_STOPPED,
    memberships: { areRequired: () => false, isMember: () => true },
    clock: { now: () => 0 },
    scopes,
  };
  return decide({ app, scopes, subject, caller: caller as unknown as Asked["caller"] }, ports);
}

describe.each([
  ["a resource", resource],
  ["a call", tool],
])("the policies of %s", (_, subject) => {
  test("are asked in order of their cost, those that take a request all at once", async () => {
    const { noted, remote, local } = noting();
    const policies = [remote("one", ALLOWED), local("here", ALLOWED), remote("other", ALLOWED)];
    expect(await decided(policies, subject)).toBeUndefined();
    expect(noted).toEqual(["here", "one?", "other?", "one!", "other!"]);
  });

  test("are not all asked where one denies that costs nothing; of several denials the first is told", async () => {
    const { noted, remote, local } = noting();
    const policies = [remote("one", DENIED), local("here", DENIED), local("there", DENIED)];
    expect(await decided(policies, subject)).toMatchObject({ code: "denied_by_policy", details: { policy: "here" } });
    expect(noted).toEqual(["here", "there"]);
  });
});

describe("a refusal tells nothing of a tool that a policy hides", () => {
  test("whatever step refuses, and each policy is asked once", async () => {
    const { noted, remote, local } = noting();
    const policies = [local("here", ALLOWED, true), remote("one", ALLOWED, DENIED)];
    expect(await decided(policies, tool, ["pay"])).toMatchObject({ code: "unknown_tool", reason: "policy" });
    expect(noted).toEqual(["here", "one lists?", "one lists!"]);
  });

  test("but of a resource, which no policy hides", async () => {
    const { noted, remote } = noting();
    expect(await decided([remote("one", DENIED, DENIED)], resource)).toMatchObject({ code: "denied_by_policy" });
    expect(noted).toEqual(["one?", "one!"]);
  });
});
