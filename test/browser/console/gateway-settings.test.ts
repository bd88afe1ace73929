import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { expectAccessible } from "./support/axe.ts";
import { FAILED_REQUEST, fail } from "./support/bad-server.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const NARROW = { width: 360, height: 740 };

describe("the gateway's settings", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner();
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const open = async () => {
    await owner.page.goto(`${stage.server.url}/console/gateway/settings`);
    await heading(owner.page, "Gateway settings").waitFor();
    await loaded(owner.page);
  };

  const serverName = () => owner.page.getByLabel("Server name", { exact: true });
  const save = () => owner.page.getByRole("button", { name: "Save settings" }).click();

  const stored = () => request<GatewaySettings>(stage.server, owner, "GET", "/gateway-settings");

  test("are the seven of the specification, and none of the keys that belong to the YAML alone", async () => {
    await open();
    const labels = await owner.page.locator("main form label").allInnerTexts();
    const named = labels.map((label) => label.split("\n")[0] ?? "").filter((label) => label !== "");
    expect(named).toEqual([
      ...["Gateway", "Server name", "Stream endpoint", "OAuth"],
      ...["Session timeout", "Session header", "Client termination"],
    ]);
  });

  test("are changed at once, and say where each value is from", async () => {
    await open();
    expect(await serverName().inputValue()).toBe("Library behind Countersign");
    await serverName().fill("The library's desk");
    await expectAccessible(owner.page, "settings changed");
    await save();
    await owner.page.getByText("Saved and in effect").waitFor();
    const { settings } = await stored();
    expect(settings.serverName).toMatchObject({ value: "The library's desk", origin: "console" });
  });

  test("keep what was typed when the server fails, and are saved when it does not", async () => {
    await open();
    await serverName().fill("The desk of the library");
    const failing = await fail(owner.page, /^\/api\/v1\/gateway-settings$/);
    await save();
    await owner.page.getByRole("alert").getByText(FAILED_REQUEST).waitFor();
    expect(await serverName().inputValue()).toBe("The desk of the library");
    await failing.end();
    await save();
    await owner.page.getByText("Saved and in effect").waitFor();
  });

  test("show what somebody else saved meanwhile, and keep what was typed", async () => {
    await open();
    await serverName().fill("Ada's desk");
    const { settings } = await stored();
    const before = { serverName: settings.serverName.value };
    await request(stage.server, owner, "PUT", "/gateway-settings", { ...before, sessionTimeout: "2h" });
    await save();
    await owner.page.getByText("The settings were changed meanwhile").waitFor();
    expect(await serverName().inputValue()).toBe("Ada's desk");
    await expectAccessible(owner.page, "settings changed meanwhile");
    await owner.page.setViewportSize(NARROW);
    await expectToFit(owner.page, "settings changed meanwhile");
    await owner.page.getByRole("button", { name: "Take these, keep my changes" }).click();
    await save();
    await expect
      .poll(async () => (await stored()).settings)
      .toMatchObject({ serverName: { value: "Ada's desk" }, sessionTimeout: { value: "2h" } });
  });

  test("ask before they open the gateway to everybody", async () => {
    await open();
    await owner.page.getByRole("switch", { name: "OAuth" }).focus();
    await owner.page.keyboard.press("Space");
    await save();
    const question = owner.page.getByRole("dialog", { name: "Open the gateway to everybody?" });
    await question.waitFor();
    await expectAccessible(owner.page, "opening the gateway");
    await owner.page.keyboard.press("Escape");
    await question.waitFor({ state: "hidden" });
    expect((await stored()).settings.oauthEnabled.value).toBe(true);
  });
});
