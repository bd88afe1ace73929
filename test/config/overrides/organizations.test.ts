import { expect, test } from "vitest";
import type { StoredOverrides } from "../../../lib/config/overrides/overrides.ts";
import { overridesOf, withOverridesOf } from "../../../lib/config/overrides/overrides.ts";
import { createPolicies } from "../../../lib/config/policy-engines.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import { describeSettings } from "../../../lib/management/representations/gateway.ts";
import type { SettingsRecord } from "../../../lib/stores/settings.ts";
import { followed, YAML } from "../settings/gateway.ts";
import { keptSettings } from "../settings/kept-settings.ts";

const app = (name: string, more = "") =>
  `  - {name: ${name}, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}}${more}}\n`;
const APPS = `apps:\n${app("own", ", organization: org_a")}${app("common", ", organization: org_a, shared: true")}${app("first")}`;
const OWN_TOKENS = `    oauth:
      enabled: true
      metadataPath: /.well-known/oauth-protected-resource
      servers:
        - wellKnownEndpoint: https://gateway.example/.well-known/openid-configuration
          tokenValidation: {method: jwt, expectedAudiences: ["https://gateway.example/agents"]}
oidcProvider: {region: us}
`;
const GATEWAY = `${YAML.slice(0, YAML.indexOf("    oauth:"))}${OWN_TOKENS}`;
const text = (overridable: string, apps = APPS, gateway = GATEWAY) =>
  `${gateway}deployment: {overridable: ${overridable}}\nlimits: [{name: few, rate: 1/s}]\n${apps}`;
const BOTH = text("[limits, policies]");

type Values = StoredOverrides["values"];

/** Settings in which organizations have set something. */
function stored(organizations: Readonly<Record<string, Values>>, first = "org_first") {
  let record: SettingsRecord = { revision: 0, values: { serverName: "Named" } };
  for (const [id, values] of Object.entries(organizations)) {
    const revision = record.revision + 1;
    const overrides = { revision, isFirst: id === first, values, fullAt: 0 };
    record = { ...record, revision, values: withOverridesOf(record, id, overrides) };
  }
  const settings = keptSettings();
  settings.record = record;
  return settings;
}

const LIMITS = { limits: [{ name: "few", rate: "9/s" }] };
const policy = (name: string, cel = "false") => ({ policies: [{ app: name, cel }] });

test("84. limits of organizations stand beside those of the operator, each about its own callers", async () => {
  const { live } = await followed({ text: BOTH, settings: stored({ org_a: LIMITS, org_b: LIMITS }) });
  expect(
    live
      .snapshot()
      .configuration.limits.map(({ name, owner, for: about, rate }) => [name, owner, about.organization, rate?.amount]),
  ).toEqual([
    ["few", undefined, undefined, 1],
    ["org_a:few", "org_a", ["org_a"], 9],
    ["org_b:few", "org_b", ["org_b"], 9],
  ]);
});

test.each<[string, Readonly<Record<string, Values>>, Readonly<Record<string, number>>]>([
  ["of its own app", { org_a: policy("own") }, { own: 1 }],
  ["of an app without organization, by the first one", { org_first: policy("first") }, { first: 1 }],
  ["of an app without organization, by another", { org_a: policy("first") }, {}],
  ["of a shared app", { org_a: policy("common") }, {}],
  ["of another's app", { org_b: policy("own") }, {}],
  ["of an app that there is not", { org_a: policy("gone") }, {}],
])("84. a policy %s", async (_, organizations, expected) => {
  const { live } = await followed({ text: BOTH, settings: stored(organizations) });
  const counts = live
    .snapshot()
    .configuration.apps.flatMap((one) =>
      "policies" in one && one.policies !== undefined ? [[one.name, one.policies.length]] : [],
    );
  expect(Object.fromEntries(counts)).toEqual(expected);
});

test("84. a policy that can no longer be read denies", async () => {
  const { live, gatewaySettings } = await followed({ text: BOTH, settings: stored({ org_a: policy("own", "1 +") }) });
  const [own] = live.snapshot().configuration.apps;
  expect(own).toMatchObject({ policies: [{ engine: "cel", expression: "false" }] });
  expect(gatewaySettings.overrides.leftOut("org_a")).toMatchObject([{ path: ["policies", 0, "cel"] }]);
});

test("84. what one organization has wrong is left out, told once, and touches no other's", async () => {
  const settings = stored({
    org_a: { limits: [{ name: "gone", for: { app: "gone" }, rate: "1/s" }, ...LIMITS.limits, { name: 5 }] },
    org_b: { limits: "many" },
    org_c: LIMITS,
  });
  const { live, gatewaySettings, log, clock, tended } = await followed({ text: BOTH, settings });
  const names = () => live.snapshot().configuration.limits.map(({ name }) => name);
  expect(names()).toEqual(["few", "org_a:few", "org_c:few"]);
  const { leftOut, check } = gatewaySettings.overrides;
  expect(leftOut("org_a").map(({ path }) => path.slice(0, 2))).toEqual(
    expect.arrayContaining([
      ["limits", 0],
      ["limits", 2],
    ]),
  );
  expect(leftOut("org_b")).toMatchObject([{ path: ["limits"] }]);
  expect([leftOut("org_c"), check(LIMITS, { organizationId: "org_c", isFirst: false })]).toEqual([[], []]);
  const told = log.filter((line) => line.includes("configuration override of an organization is not in use"));
  expect(told).toHaveLength(leftOut("org_a").length + 1);
  settings.record = { ...settings.record, revision: settings.record.revision + 1 };
  clock.advance(3_000);
  await tended();
  expect(log.filter((line) => line.includes("is not in use"))).toHaveLength(told.length);
  expect(gatewaySettings.overrides.appliedRevision()).toBe(settings.record.revision);
  expect(gatewaySettings.appliedRevision()).toBe(0);
});

test("84. what the operator does not let organizations override has no effect, and is refused with what may be", async () => {
  const settings = stored({ org_a: { ...LIMITS, ...policy("own") } });
  const { live, gatewaySettings } = await followed({ text: text("[policies]"), settings });
  expect(live.snapshot().configuration.limits).toHaveLength(1);
  const { leftOut, check } = gatewaySettings.overrides;
  const told = [{ path: ["limits"], message: expect.stringContaining("accepted: policies") }];
  expect(leftOut("org_a")).toMatchObject(told);
  expect(check(LIMITS, { organizationId: "org_a", isFirst: false })).toMatchObject(told);
  const closed = await followed({ text: text("[]"), settings });
  expect(closed.live.snapshot().configuration.apps[0]).not.toHaveProperty("policies");
  expect(closed.gatewaySettings.overrides.check(LIMITS, { organizationId: "org_a", isFirst: false })).toMatchObject([
    { message: expect.stringContaining("accepted: none") },
  ]);
});

test("84. an organization that is changed leaves what others and the gateway have set", async () => {
  const { record } = stored({ org_a: LIMITS, org_b: policy("own") });
  const changed = withOverridesOf(record, "org_b", { revision: 9, isFirst: false, values: {}, fullAt: 0 });
  expect(changed).toMatchObject({ serverName: "Named", gateway: { revision: 0 } });
  expect(overridesOf({ values: changed }, "org_a").values).toEqual(LIMITS);
});

const DENIED = { engine: "cel", expression: "false" };

test.each<[string, unknown, unknown]>([
  ["thousands of !", { policies: [{ app: "own", cel: `${"!".repeat(8_000)}true` }] }, [DENIED]],
  ["thousands of +", { policies: [{ app: "own", cel: `${"1+".repeat(4_000)}1 == 1` }] }, [DENIED]],
  ["a key that another release knows", { policies: [{ app: "own", cel: "true", when: "later" }] }, [DENIED]],
  ["no app", { policies: [{ apps: ["own"], cel: "true" }] }, [DENIED]],
  ["more entries than there may be", { policies: Array(30).fill({ app: "own", cel: "true" }) }, [DENIED]],
  ["no list", { policies: "many" }, [DENIED]],
  ["nothing to read", null, [DENIED]],
  ["another app alone", { policies: [{ app: "gone", cel: "true" }] }, undefined],
  [
    "one of two at fault",
    {
      policies: [
        { app: "own", cel: "1 +" },
        { app: "own", cel: "true" },
      ],
    },
    [
      { ...DENIED, name: "overrides.policies[0]" },
      { expression: "true", name: "overrides.policies[1]" },
    ],
  ],
  [
    "an entry of no effect before it",
    {
      policies: [
        { app: "gone", cel: "true" },
        { app: "own", cel: "true" },
      ],
    },
    [{ expression: "true", name: "overrides.policies[1]" }],
  ],
])("84. an instance starts with %s stored, and what cannot be read denies", async (_, values, expected) => {
  const settings = stored({ org_b: LIMITS, org_a: values as Values });
  const { live, gatewaySettings, log } = await followed({ text: BOTH, settings });
  const { apps, limits } = live.snapshot().configuration;
  expect([apps.map(({ name }) => name), limits.map(({ name }) => name)]).toEqual([
    ["own", "common", "first"],
    ["few", "org_b:few"],
  ]);
  const policies = apps.map((one) => ("policies" in one ? one.policies : undefined));
  expect(policies[0]).toEqual(
    expected === undefined ? undefined : (expected as object[]).map((one) => expect.objectContaining(one)),
  );
  expect(policies.slice(1)).toEqual([undefined, undefined]);
  const { leftOut } = gatewaySettings.overrides;
  expect([leftOut("org_a").length > 0, leftOut("org_b")]).toEqual([true, []]);
  expect(log.filter((line) => line.includes("is not in use")).length).toBe(leftOut("org_a").length);
  for (const app of apps)
    createPolicies([app as Parameters<typeof createPolicies>[0][number]], { fetch, clock: systemClock });
});

test("84. a policy of an app that has become shared, or is gone, is named", async () => {
  const { gatewaySettings } = await followed({
    text: BOTH,
    settings: stored({
      org_a: {
        policies: [
          { app: "common", cel: "true" },
          { app: "gone", cel: "true" },
        ],
      },
    }),
  });
  expect(gatewaySettings.overrides.leftOut("org_a")).toMatchObject([
    { path: ["policies", 0, "app"], message: expect.stringMatching(/^"common": .*the policy has no effect$/) },
    { path: ["policies", 1, "app"], message: expect.stringMatching(/^"gone": /) },
  ]);
});

test("84. a limit about several apps stays one about those that there are", async () => {
  const limit = { name: "few", rate: "9/s", for: { app: ["gone", "own", "common"] } };
  const { live, gatewaySettings } = await followed({ text: BOTH, settings: stored({ org_a: { limits: [limit] } }) });
  expect(live.snapshot().configuration.limits[1]).toMatchObject({ name: "org_a:few", for: { app: ["own", "common"] } });
  expect(gatewaySettings.overrides.leftOut("org_a")).toMatchObject([
    { path: ["limits", 0, "for", "app"], message: expect.stringContaining('"gone"') },
  ]);
});

test("84. what is compiled once is not compiled again with another configuration", () => {
  const app = {
    name: "own",
    policies: [{ engine: "cel" as const, name: "a", expression: "agent.clientID == 'once'" }],
  };
  const [one, other] = [1, 2].map(() => createPolicies([app], { fetch, clock: systemClock }).get("own")?.[0]);
  expect(one).toMatchObject({ cost: "local", name: "a" });
  expect(other).toHaveProperty("decide", (one as { readonly decide?: unknown }).decide);
});

test.each([
  ["no tokens at all", YAML],
  [
    "tokens of others alone",
    GATEWAY.replace("https://gateway.example/.well-known", "https://other.example/.well-known"),
  ],
])("84. where agents bring %s, limits of organizations are told to count nobody", async (_, gateway) => {
  const settings = stored({ org_first: { ...LIMITS, ...policy("first") } });
  const { live, gatewaySettings } = await followed({ text: text("[limits, policies]", APPS, gateway), settings });
  expect(live.snapshot().configuration.limits).toHaveLength(1);
  expect(gatewaySettings.overrides.leftOut("org_first")).toMatchObject([
    { path: ["limits"], message: expect.stringMatching(/^count nobody: /) },
  ]);
  expect(live.snapshot().configuration.apps[2]).toHaveProperty("policies");
});

test("84. what organizations change is another snapshot, and no other configuration to record", async () => {
  const settings = stored({ org_a: LIMITS });
  const { gatewaySettings, replaced, recorded } = await followed({ text: BOTH, settings });
  const revision = settings.record.revision + 1;
  const overrides = { revision, isFirst: false, values: {}, fullAt: 0 };
  const changed = { revision, values: withOverridesOf(settings.record, "org_a", overrides) };
  expect(describeSettings(changed, gatewaySettings)).toHaveProperty("isApplied", true);
  await gatewaySettings.use(changed);
  expect([replaced, recorded]).toEqual([[2], []]);
  const named = { revision: revision + 1, values: { serverName: "Other" } };
  expect(describeSettings(named, gatewaySettings)).toHaveProperty("isApplied", false);
  await gatewaySettings.use(named);
  expect([replaced, recorded]).toEqual([[2, 3], [3]]);
});
