import { expect, test } from "vitest";
import { gatewayPart, overridesOf } from "../../lib/config/overrides/overrides.ts";
import { appendRefusal } from "../../lib/gateway/audit-call.ts";
import { changeOverrides } from "../../lib/gateway/overrides.ts";
import { changeSettings } from "../../lib/gateway/settings.ts";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { followed, YAML } from "../config/settings/gateway.ts";
import { credentialEvent } from "../contract/credential-records.ts";

const TEXT = `${YAML}deployment: {overridable: [limits, policies]}
apps:
  - {name: own, type: mcpBridge, organization: org_1, openapi: {spec: {uri: "https://a.example/o"}}}
`;
const few = (rate: string) => ({ limits: [{ name: "few", rate }] });

/**
 * Organizations that change their overrides, and the one of the gateway.
 * @param meanwhile what happens before a change of the gateway is stored
 */
async function organizations(meanwhile: () => Promise<void> = async () => undefined) {
  const { settings, gatewaySettings, clock, live } = await followed({ text: TEXT });
  const firstOrganization = async () => ({ organizationId: "org_0", name: "First", createdAt: 0, revision: 1 });
  const ports = {
    ...{ clock, random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) } },
    configuration: live.snapshot,
    stores: { settings, directory: { firstOrganization } },
  };
  const interrupted: typeof settings.replaceSettings = async (record, event) => {
    await meanwhile();
    return settings.replaceSettings(record, event);
  };
  const gatewayPorts = { ...ports, stores: { settings: { ...settings, replaceSettings: interrupted } } };
  const actorOf = (organizationId: string) => ({ id: "user_1", organizationId });
  return {
    ...{ settings, clock, gatewaySettings },
    change: (organizationId: string, input: unknown, expectedRevision?: number) =>
      changeOverrides(ports, gatewaySettings, actorOf(organizationId), {
        input,
        ...(expectedRevision !== undefined && { expectedRevision }),
      }),
    changeGateway: (input: unknown, expectedRevision: number, by = gatewaySettings) =>
      changeSettings(gatewayPorts, by, actorOf("org_0"), { input, expectedRevision }),
  };
}

test("84. organizations that change theirs at the same time lose nothing, and none of it is a change of the gateway", async () => {
  const { change, changeGateway, settings } = await organizations();
  const { revision } = gatewayPart(await changeGateway({ serverName: "One" }, 0));
  await Promise.all(["org_1", "org_2", "org_3"].map((id, index) => change(id, few(`${index + 1}/s`), 0)));
  for (const [index, id] of ["org_1", "org_2", "org_3"].entries())
    expect(overridesOf(settings.record, id).values).toEqual(few(`${index + 1}/s`));
  await changeGateway({ serverName: "Other" }, revision);
  expect(overridesOf(settings.record, "org_2").values).toEqual(few("2/s"));
  expect(settings.record.values.serverName).toBe("Other");
  await expect(change("org_1", few("5/s"), 0)).rejects.toMatchObject({ code: "stale" });
  const known = overridesOf(settings.record, "org_1").revision;
  await change("org_1", {}, known);
  expect(overridesOf(settings.record, "org_1")).toMatchObject({ values: {}, updatedBy: "user_1" });
  await expect(change("org_1", few("5/s"), known)).rejects.toMatchObject({ code: "stale" });
});

test("84. what is set already is no change", async () => {
  const { change, settings } = await organizations();
  await change("org_1", few("1/s"));
  const { record } = settings;
  await change("org_1", { ...few("1/s"), policies: [] });
  expect(settings.record).toBe(record);
});

test("84. an organization sets so much, and all together", async () => {
  const { change } = await organizations();
  const client = Array.from({ length: 20 }, (_, index) => `${index}`.padEnd(40, "x"));
  const long = (count: number) => ({
    limits: Array.from({ length: count }, (_, index) => ({ name: `n${index}`, rate: "1/s", for: { client } })),
  });
  await expect(change("org_1", long(10))).rejects.toMatchObject({
    code: "invalid_field",
    message: expect.stringMatching(/^An organization sets at most 8192 bytes of JSON; these are \d+\.$/),
  });
  const set = async (): Promise<number> => {
    for (let count = 0; ; count++) {
      try {
        await change(`org_${count}`, long(8));
      } catch (error) {
        expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining("65536 bytes together") });
        return count;
      }
    }
  };
  const most = await set();
  expect(most).toBeGreaterThan(7);
  await change("org_0", few("1/s"));
});

test("84. an organization that changes theirs all the time has to wait, and no other", async () => {
  const { change, clock } = await organizations();
  for (let count = 1; count <= 30; count++) await change("org_1", few(`${count}/s`));
  await expect(change("org_1", few("99/s"))).rejects.toMatchObject({ code: "too_many_requests" });
  await change("org_2", few("1/s"));
  clock.advance(2_000);
  await change("org_1", few("99/s"));
});

test("84. an organization that tries all the time has to wait as well, before anything of it is looked at", async () => {
  const { change, clock } = await organizations();
  const wrong = { limits: [{ name: "few", rate: "often" }] };
  await change("org_1", few("1/s"));
  for (let count = 1; count < 30; count++)
    if (count % 2 === 0) await change("org_1", few("1/s"));
    else await expect(change("org_1", wrong)).rejects.toMatchObject({ code: "invalid_field" });
  for (const input of [wrong, few("1/s"), few("2/s")])
    await expect(change("org_1", input)).rejects.toMatchObject({ code: "too_many_requests" });
  await change("org_2", few("1/s"));
  clock.advance(2_000);
  await change("org_1", few("1/s"));
});

const policy = (cel: string) => ({ policies: [{ app: "own", cel }] });
const deep = (depth: number): unknown => JSON.parse("[".repeat(depth) + "]".repeat(depth));
const LONG = "up to 500 characters";
const FOREIGN = /^found the function (\w+); accepted: has, size, /;

test.each<[string, unknown, string, string | RegExp]>([
  ["thousands of !", policy(`${"!".repeat(8_000)}true`), "/policies/0/cel", LONG],
  ["thousands of +", policy(`${"1+".repeat(4_000)}1 == 1`), "/policies/0/cel", LONG],
  ["thousands of -", policy(`${"-".repeat(7_900)}1 == 1`), "/policies/0/cel", LONG],
  ["501 characters", policy("true".padEnd(501)), "/policies/0/cel", LONG],
  ["a loop", policy("[1, 2].all(x, x > 0)"), "/policies/0/cel", FOREIGN],
  ["a list that is made", policy("[1].map(x, x).size() > 0"), "/policies/0/cel", FOREIGN],
  ["a list in a call", policy("size([1].filter(x, x > 0)) > 0"), "/policies/0/cel", FOREIGN],
  ["a name for a value", policy("cel.bind(x, 1, x > 0)"), "/policies/0/cel", FOREIGN],
  ["a text that grows", policy('"ab".split("").join("ab") == ""'), "/policies/0/cel", FOREIGN],
  ["bytes that grow", policy('bytes("ab").hex() == ""'), "/policies/0/cel", FOREIGN],
  ["21 policies", { policies: Array(21).fill({ app: 1 }) }, "/policies", "found 21 policies; accepted: at most 20"],
  ["11 limits", { limits: Array(11).fill({ name: 1 }) }, "/limits", "found 11 limits; accepted: at most 10 limits"],
  ["lists in lists", { limits: deep(32_000) }, "/limits", "is nested too deeply"],
  [
    "a pattern",
    { limits: [{ name: "a", rate: "1/s", for: { tool: "/([a-z_]+)+!/" } }] },
    "/limits/0/for/tool",
    "slashes",
  ],
  [
    "a pattern among names",
    { limits: [{ name: "a", rate: "1/s", for: { tool: ["get", "/(a+)+!/"] } }] },
    "/limits/0/for/tool",
    "accepted: names of tools",
  ],
])("84. %s is refused with what is accepted", async (_, input, pointer, detail) => {
  const { change } = await organizations();
  await expect(change("org_1", input)).rejects.toMatchObject({
    code: "invalid_field",
    fields: [{ pointer, detail: expect.stringMatching(detail) }],
  });
});

test("84. an expression of 500 characters is accepted, whatever it has so often", async () => {
  const { change } = await organizations();
  for (const cel of [`${"!".repeat(496)}true`, `1${"+1".repeat(247)}==1`, `${"-".repeat(495)}1==1`])
    await change("org_1", policy(cel));
});

test("84. organizations that change theirs all the time keep nobody from changing the gateway", async () => {
  let others = 0;
  const { settings, gatewaySettings, change, changeGateway } = await organizations(async () => {
    if (others < 12) await change("org_1", few(`${++others}/s`));
  });
  let checks = 0;
  const check: typeof gatewaySettings.check = (...given) => {
    checks++;
    return gatewaySettings.check(...given);
  };
  await changeGateway({ serverName: "Named" }, 0, { ...gatewaySettings, check });
  expect([settings.record.values.serverName, others, checks]).toEqual(["Named", 12, 1]);
});

test.each([
  ["of another organization", "org_a:few", "of the caller's organization"],
  ["of its own", "org_b:few", "org_b:few"],
  ["of the operator", "few", "few"],
])("84. the record of a call of a shared app has a limit %s as %s", async (_, limit, expected) => {
  const events: AuditEvent[] = [];
  const ports = { refusals: { record: async (event: AuditEvent) => void events.push(event) } };
  const refused = { ...credentialEvent("tool.invoked"), organizationId: "org_b", details: { limit } };
  const request = { logger: { debug: () => undefined } };
  await appendRefusal(refused, { request } as never, ports as never);
  expect(events.map(({ details }) => details?.limit)).toEqual([expected]);
});
