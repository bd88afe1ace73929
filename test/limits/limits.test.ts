import { describe, expect, test } from "vitest";
import type { LimitConfiguration } from "../../lib/config/configuration.ts";
import type { LimitClaim, Limiter } from "../../lib/limits/limiter.ts";
import { createLimits, type LimitSubject } from "../../lib/limits/limits.ts";

const SECOND = { amount: 10, period: 1_000 };
const LIMIT: LimitConfiguration = {
  ...{ name: "limit", endpoints: ["mcp"], for: {}, per: ["client"], exact: false, unavailable: "deny" },
  rate: { ...SECOND, burst: 10 },
};
const ADA = {
  ...{ address: "192.0.2.7", organization: "org_1", client: "agent", person: "ada" },
  ...{ app: "ledger", tool: "createEntry" },
};

/** What is asked of the counts, which grant everything. */
function asked(limit: Partial<LimitConfiguration>) {
  const claims: LimitClaim[] = [];
  const entered: string[] = [];
  const limiter: Limiter = {
    take: (given) => {
      claims.push(...given);
      return { outcome: "granted", states: [], giveBack: () => undefined };
    },
    enter: (name, key) => {
      entered.push(`${name} ${key}`);
      return () => undefined;
    },
  };
  return { limits: createLimits([{ ...LIMIT, ...limit }], limiter), claims, entered };
}

function counted(limit: Partial<LimitConfiguration>, subject: LimitSubject): readonly string[] {
  const { limits, claims } = asked(limit);
  limits.takeRequest("mcp", "anonymous", subject);
  limits.takeRequest("mcp", "known", subject);
  limits.takeCall({ app: "", ...subject, bytes: () => 5 });
  return claims.map(({ terms, key, amount }) => `${terms.name} ${key} ${amount}`);
}

describe("51. what a limit counts", () => {
  test.each<[what: string, limit: Partial<LimitConfiguration>, subject: LimitSubject, counted: readonly string[]]>([
    ["a request once, by client", {}, ADA, ["limit client/agent 1"]],
    ["a call once where it names an app", { for: { app: ["ledger"] } }, ADA, ["limit client/agent 1"]],
    ["no call of another app", { for: { app: ["other"] } }, ADA, []],
    ["a tool by a pattern for its whole name", { for: { tool: ["/create.*/"] } }, ADA, ["limit client/agent 1"]],
    ["no tool that a pattern fits in part", { for: { tool: ["/create/"] } }, ADA, []],
    [
      "an address in a network, before anybody is known",
      { for: { address: ["192.0.2.0/24"] }, per: ["address"] },
      ADA,
      ["limit address/192.0.2.7 1"],
    ],
    ["no address elsewhere", { for: { address: ["198.51.100.0/24"] } }, ADA, []],
    ["no address that is unknown", { for: { address: ["0.0.0.0/0"] } }, { ...ADA, address: undefined }, []],
    ["an agent that acts for a person", { for: { agent: ["agent"] } }, ADA, ["limit client/agent 1"]],
    ["no agent that acts for itself", { for: { agent: ["agent"] } }, { ...ADA, person: undefined }, []],
    ["all together", { per: [] }, ADA, ["limit all 1"]],
    [
      "by several, with what a caller does not have replaced",
      { per: ["person", "tool"] },
      { ...ADA, person: undefined },
      ["limit client/agent/tool/ledger/createEntry 1"],
    ],
    [
      "people of another issuer apart",
      { per: ["person"] },
      { ...ADA, issuer: "https://corp.example" },
      ["limit person/https%3A%2F%2Fcorp.example/ada 1"],
    ],
    [
      "names that look like two as one",
      { per: ["person"] },
      { ...ADA, person: "a/person/b" },
      ["limit person/a%2Fperson%2Fb 1"],
    ],
    [
      "an IPv6 network as one address",
      { per: ["address"] },
      { ...ADA, address: "2001:db8::1:2" },
      ["limit address/2001%3Adb8%3A0%3A0%3A%3A%2F64 1"],
    ],
    [
      "bytes beside times, each by its own name",
      { bytes: SECOND, quota: { ...SECOND, calendar: "day" } },
      ADA,
      ["limit client/agent 1", "limit.day client/agent 1", "limit.bytes client/agent 5"],
    ],
    ["no request of another endpoint", { endpoints: ["token"] }, ADA, []],
  ])("%s", (_, limit, subject, expected) => {
    expect(counted(limit, subject)).toEqual(expected);
  });

  test("places of calls by the limits that fit, and gives all back where one has none", () => {
    const { limits, entered } = asked({ concurrent: 1, for: { app: ["ledger"] } });
    expect(typeof limits.enter(ADA)).toBe("function");
    limits.enter({ ...ADA, app: "other" });
    expect(entered).toEqual(["limit client/agent"]);
  });
});
