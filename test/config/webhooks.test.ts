import { describe, expect, test } from "vitest";
import { checkAhead } from "../../lib/config/resolve.ts";
import { ALERT_TYPES } from "../../lib/config/webhook-configuration.ts";
import { compiled, configurationOf, mistakes } from "./support.ts";

const SECRET = `whsec_${Buffer.alloc(24, 1).toString("base64")}`;
const document = (webhooks: string) => `version: 1\nhttp: {publicURL: "https://gw.example"}\nwebhooks: [${webhooks}]`;
const GIVEN = `url: "https://hooks.example/key-of-mine", secrets: ["${SECRET}"]`;

describe("82. webhooks", () => {
  test("82. with what is left to default, and a secret by reference", async () => {
    const given = document('{name: desk, url: "https://hooks.example/a", secrets: [<desk.secret>]}');
    const { webhooks } = await configurationOf(given, { secrets: { S_DESK_SECRET: SECRET } });
    const types = ["approval.requested", "tool.held"];
    expect(webhooks).toEqual([{ name: "desk", url: "https://hooks.example/a", secrets: [SECRET], types }]);
  });

  test.each([
    ["alerts", ALERT_TYPES],
    ["tool.held, alerts, stop.placed", ["tool.held", ...ALERT_TYPES]],
    ["stop.placed, config.published, stop.placed", ["stop.placed", "config.published"]],
  ])("82. types %s: each once, and alerts stands for all of them", async (names, types) => {
    const { webhooks } = await configurationOf(document(`{name: desk, ${GIVEN}, types: [${names}]}`));
    expect(webhooks[0]?.types).toEqual(types);
  });

  test("82. before there are secrets, what they stand for is taken for granted", async () => {
    const given = "{name: desk, url: <desk.url>, secrets: [<desk.old>, <desk.new>]}";
    expect(await checkAhead(await compiled(document(given)), "node")).toEqual([]);
  });

  const BROKEN: readonly (readonly [rule: string, webhooks: string, path: string, message: string])[] = [
    ["no name", `{${GIVEN}}`, "webhooks[0].name", "required"],
    ["a name twice", `{name: a, ${GIVEN}}, {name: a, ${GIVEN}}`, "webhooks[1].name", "each once"],
    ["no TLS", `{name: a, url: "http://h.example", secrets: ["${SECRET}"]}`, "webhooks[0].url", "an https URL"],
    ["no secret", '{name: a, url: "https://h.example", secrets: []}', "webhooks[0].secrets", "at least one secret"],
    [
      "a short secret",
      '{name: a, url: "https://h.example", secrets: [whsec_c2VjcmV0]}',
      "webhooks[0].secrets[0]",
      "24 to 64",
    ],
    [
      "a bare secret",
      `{name: a, url: "https://h.example", secrets: [${SECRET.slice(6)}]}`,
      "webhooks[0].secrets[0]",
      "whsec_ and",
    ],
    [
      "an unknown type",
      `{name: a, ${GIVEN}, types: [tool.hold]}`,
      "webhooks[0].types[0]",
      "approval.requested, tool.held",
    ],
    ["an unknown tls", `{name: a, ${GIVEN}, tls: corp}`, "webhooks[0].tls", "an entry of tls"],
  ];

  test.each(BROKEN)("82. %s is a mistake, which shows no secret", async (_, webhooks, path, message) => {
    const found = await mistakes(document(webhooks));
    expect(found).toEqual([expect.stringMatching(new RegExp(`${path.replaceAll(/[[\]]/g, "\\$&")}.*${message}`))]);
    for (const secret of [SECRET.slice(6), "key-of-mine", "h.example", "c2VjcmV0"])
      expect(found[0]).not.toContain(secret);
  });
});
