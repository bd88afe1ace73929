import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { GatewaySettings } from "../../../lib/management/schemas/gateway-settings.ts";
import { expectAccessible } from "./support/axe.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("limits", () => {
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

  const stored = async () => {
    const { settings } = await request<GatewaySettings>(stage.server, owner, "GET", "/gateway-settings");
    return [settings.limits.origin, settings.limits.value];
  };

  test("51. are added, changed, removed and taken back to the file, with mistakes beside their fields", async () => {
    const { page } = owner;
    await request(stage.server, owner, "PUT", "/gateway-settings", { serverName: "Kept" });
    await page.goto(`${stage.server.url}/console/gateway/limits`);
    await heading(page, "Limits").waitFor();
    await loaded(page);
    await page.getByText("No limits of your own").waitFor();
    await page.getByRole("button", { name: "Add a limit" }).click();
    await expectAccessible(page, "adding");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "adding, narrow");
    await page.setViewportSize({ width: 1200, height: 800 });

    await page.getByLabel("Name").fill("writes");
    await page.getByLabel("Tool", { exact: true }).fill("/create.*/");
    await page.getByLabel("App", { exact: true }).fill("board, ledger");
    await page.getByLabel("Counted by").selectOption("person");
    await page.getByLabel("Rate").fill("often");
    await page.getByRole("button", { name: "Add limit" }).click();
    await page.getByText(/such as 100\/s, 600\/m or 5000\/h, at most/).waitFor();
    await page.getByLabel("Rate").fill("100/m");
    await page.getByLabel("App", { exact: true }).fill("board");
    await page.getByRole("button", { name: "Add limit" }).click();
    const row = page.getByRole("table", { name: "Limits in use" }).getByRole("row").nth(1);
    await row.getByText("100/m").waitFor();
    const limit = { name: "writes", for: { app: "board", tool: "/create.*/" }, per: "person", rate: "100/m" };
    expect(await stored()).toEqual(["console", [limit]]);
    await expectAccessible(page, "a limit");

    await page.getByRole("button", { name: "Change writes" }).click();
    await page.getByLabel("Burst").fill("20");
    await page.getByRole("button", { name: "Change limit" }).click();
    await row.getByText("100/m (20 at once)").waitFor();
    await page.getByRole("button", { name: "Remove writes" }).click();
    await page.getByRole("button", { name: "Remove limit" }).click();
    await page.getByText("No limits of your own").waitFor();
    expect(await stored()).toEqual(["console", []]);
    await page.getByRole("button", { name: "Back to the configuration file" }).click();
    await page.getByRole("button", { name: "Use the file's limits" }).click();
    await page.getByText(/^From the configuration file/).waitFor();
    expect(await stored()).toEqual(["default", []]);
    const { settings } = await request<GatewaySettings>(stage.server, owner, "GET", "/gateway-settings");
    expect(settings.serverName.value).toBe("Kept");
  });
});
