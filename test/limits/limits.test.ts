import { describe, expect, test } from "vitest";
import type { LimitConfiguration } from "../../lib/config/configuration.ts";
import { ALONE, createLimiter } from "../../lib/limits/create-limiter.ts";
import type { LimitClaim, Limiter, LimitVerdict } from "../../lib/limits/limiter.ts";
import { createLimits, type LimitEndpoint, type LimitStage, type LimitSubject } from "../../lib/limits/limits.ts";
import { type LimitRefusal, refusalFacts, refusalHeaders, refusalOf } from "../../lib/limits/refusal.ts";

const clock = { now: () => Date.UTC(2030, 5, 15, 12) };
function neverAsked(): never {
  throw new Error("nobody else counts");
}

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
    ["no request for a web app", { endpoints: ["web"], for: { app: ["ledger"] } }, ADA, []],
  ])("%s", (_, limit, subject, expected) => {
    expect(counted(limit, subject)).toEqual(expected);
  });

  const { client: _client, tool: _tool, ...visitor } = { ...ADA, app: "payroll" };

  test.each<[what: string, limit: Partial<LimitConfiguration>, subject: LimitSubject, counted: readonly string[]]>([
    ["once, by the person where there is no client", {}, visitor, ["limit person/ada 1"]],
    ["by the program where there is one", {}, { ...visitor, client: "agent" }, ["limit client/agent 1"]],
    ["by the address where nobody is known", {}, { ...visitor, person: undefined }, ["limit address/192.0.2.7 1"]],
    ["by its address", { per: ["address"] }, visitor, ["limit address/192.0.2.7 1"]],
    ["by its organization", { per: ["organization"] }, visitor, ["limit organization/org_1 1"]],
    [
      "by the person where the organization is not known",
      { per: ["organization"] },
      { ...visitor, organization: undefined },
      ["limit person/ada 1"],
    ],
    [
      "by the agent that acts for a person",
      { per: ["agent"] },
      { ...visitor, client: "agent" },
      ["limit client/agent 1"],
    ],
    ["once where it names an app", { for: { app: ["payroll"] } }, visitor, ["limit person/ada 1"]],
    ["by app and person", { per: ["app", "person"] }, visitor, ["limit app/payroll/person/ada 1"]],
    ["not where it names another app", { for: { app: ["ledger"] } }, visitor, []],
    ["with the bytes of its body", { bytes: SECOND }, visitor, ["limit person/ada 1", "limit.bytes person/ada 5"]],
    ["with those of agents", { endpoints: ["mcp", "web"] }, visitor, ["limit person/ada 1"]],
    ["not with those of agents alone", { endpoints: ["mcp"] }, visitor, []],
  ])("of web apps: a request %s", (_, limit, subject, expected) => {
    const { limits, claims } = asked({ endpoints: ["web"], ...limit });
    for (const stage of ["anonymous", "known"] as const) limits.takeRequest("web", stage, subject);
    limits.takeCall({ app: "", ...subject, bytes: () => 5 }, "web");
    expect(claims.map(({ terms, key, amount }) => `${terms.name} ${key} ${amount}`)).toEqual(expected);
  });

  test("no bytes of a request without a body", () => {
    const { limits, claims } = asked({ endpoints: ["web"], bytes: SECOND });
    expect(limits.takeCall({ ...visitor, bytes: () => 0 }, "web")).toBeUndefined();
    expect(claims).toEqual([]);
  });

  test.each<[what: string, limit: Partial<LimitConfiguration>, endpoint: LimitEndpoint, stages: readonly LimitStage[]]>(
    [
      ["requests of all once they are known", { per: [] }, "mcp", ["known"]],
      [
        "requests of all to the management API once they are known",
        { per: [], endpoints: ["management"] },
        "management",
        ["known"],
      ],
      [
        "requests of all to the token endpoint, where nobody is known",
        { per: [], endpoints: ["token"] },
        "token",
        ["anonymous"],
      ],
      [
        "requests of all from a network once they are known",
        { per: [], for: { address: ["192.0.2.0/24"] } },
        "mcp",
        ["known"],
      ],
      ["requests by address before anybody is known", { per: ["address"] }, "mcp", ["anonymous"]],
      ["requests of web apps by address before anybody is known", { per: ["address"] }, "web", ["anonymous"]],
      ["requests of web apps once people are known", { per: ["person"] }, "web", ["known"]],
    ],
  )("%s", (_, limit, endpoint, stages) => {
    const { limits, claims } = asked({ endpoints: [endpoint], ...limit });
    const counting = (["anonymous", "known"] as const).filter((stage) => {
      const before = claims.length;
      limits.takeRequest(endpoint, stage, ADA);
      return claims.length > before;
    });
    expect(counting).toEqual(stages);
  });

  test.each([
    ["10 MB a minute", 10_000_000, 60_000, 2, 1],
    ["1 GB a second", 1_000_000_000, 1_000, 10_000, 1],
    ["1 MB a minute", 1_000_000, 60_000, 1, 5],
  ])("bytes of %s in units that times have steps for, and tells them in bytes", (_, amount, period, size, counted) => {
    const { limits, claims } = asked({ bytes: { amount, period } });
    limits.takeCall({ ...ADA, bytes: () => 5 });
    const [claim] = claims;
    expect(claim?.terms).toMatchObject({ quota: amount / size, burst: amount / size, unit: { size } });
    expect(claim?.amount).toBe(size === 2 ? 3 : counted);
    const ports = { stores: { limits: { lease: neverAsked } }, clock, logger: { warn: neverAsked } };
    const limiter = createLimiter(ports, ALONE);
    const all = amount / size;
    limiter.take([{ ...(claim as LimitClaim), amount: all }]);
    const refusal = refusalOf(limiter.take([claim as LimitClaim]) as LimitVerdict);
    const window = period / 1_000;
    expect(refusal?.message).toContain(`The limit "limit.bytes" (${amount} bytes in ${window} s) is used up.`);
    expect(refusalHeaders(refusal as LimitRefusal)["ratelimit-policy"]).toBe(
      `"limit.bytes";q=${amount};qu="content-bytes";w=${window}`,
    );
    expect(refusalFacts(refusal as LimitRefusal)).toMatchObject({ unit: "content-bytes", quota: amount });
    const never = refusalOf(limiter.take([{ ...(claim as LimitClaim), amount: all + 1 }]) as LimitVerdict);
    expect(never?.message).toBe(
      `The limit "limit.bytes" never lets so much through at once: ${amount} bytes at most. Trying again does not help.`,
    );
    expect(Object.keys({ ...refusalHeaders(never as LimitRefusal), ...refusalFacts(never as LimitRefusal) })).toEqual([
      "limit",
    ]);
  });

  test("places of calls by the limits that fit, and gives all back where one has none", () => {
    const { limits, entered } = asked({ concurrent: 1, for: { app: ["ledger"] } });
    expect(typeof limits.enter(ADA)).toBe("function");
    limits.enter({ ...ADA, app: "other" });
    expect(entered).toEqual(["limit client/agent"]);
  });
});
