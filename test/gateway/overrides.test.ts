import { expect, test } from "vitest";
import { gatewayPart, overridesOf } from "../../lib/config/overrides/overrides.ts";
import { changeOverrides } from "../../lib/gateway/overrides.ts";
import { changeSettings } from "../../lib/gateway/settings.ts";
import { followed, YAML } from "../config/settings/gateway.ts";

const TEXT = `${YAML}deployment: {overridable: [limits]}\n`;
const few = (rate: string) => ({ limits: [{ name: "few", rate }] });

/** Organizations that change their overrides, and the one of the gateway. */
async function organizations() {
  const { settings, gatewaySettings, clock, live } = await followed({ text: TEXT });
  const firstOrganization = async () => ({ organizationId: "org_0", name: "First", createdAt: 0, revision: 1 });
  const ports = {
    ...{ clock, random: { bytes: (length: number) => crypto.getRandomValues(new Uint8Array(length)) } },
    configuration: live.snapshot,
    stores: { settings, directory: { firstOrganization } },
  };
  const actorOf = (organizationId: string) => ({ id: "user_1", organizationId });
  return {
    ...{ settings, clock, gatewaySettings },
    change: (organizationId: string, input: unknown, expectedRevision?: number) =>
      changeOverrides(ports, gatewaySettings, actorOf(organizationId), {
        input,
        ...(expectedRevision !== undefined && { expectedRevision }),
      }),
    changeGateway: (input: unknown, expectedRevision: number) =>
      changeSettings(ports, gatewaySettings, actorOf("org_0"), { input, expectedRevision }),
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
  const client = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(40, "x"));
  const long = (count: number) => ({
    limits: Array.from({ length: count }, (_, index) => ({ name: `n${index}`, rate: "1/s", for: { client } })),
  });
  await expect(change("org_1", long(10))).rejects.toMatchObject({
    code: "invalid_field",
    message: expect.stringMatching(/^An organization sets at most 16384 bytes of JSON; these are \d+\.$/),
  });
  const set = async (): Promise<number> => {
    for (let count = 0; ; count++) {
      try {
        await change(`org_${count}`, long(8));
      } catch (error) {
        expect(error).toMatchObject({ code: "conflict", message: expect.stringContaining("262144 bytes together") });
        return count;
      }
    }
  };
  const most = await set();
  expect(most).toBeGreaterThan(16);
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
