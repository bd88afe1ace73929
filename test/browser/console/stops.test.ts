import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { StopList } from "../../../lib/management/schemas/stops.ts";
import { expectAccessible } from "./support/axe.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("the switch", () => {
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

  const stored = async () => (await request<StopList>(stage.server, owner, "GET", "/stops")).items;

  test("52. suspends what is named with a reason, shows it, and resumes it", async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/stops`);
    await heading(page, "Stops").waitFor();
    await loaded(page);
    await page.getByText("Nothing is stopped").waitFor();
    await page.getByRole("button", { name: "Stop something" }).click();
    await expectAccessible(page, "stopping");
    await shot(page, "stop-something");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "stopping, narrow");
    await shot(page, "stop-something-narrow");
    await page.setViewportSize({ width: 1200, height: 800 });

    await page.getByLabel("What", { exact: true }).selectOption("app");
    await page.getByLabel("Which").fill("nobody");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByText("Enter why: it goes to the audit log.").waitFor();
    await page.getByLabel("Why").fill("It answers with somebody's data.");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    await page.getByText(/^is no app; there are /i).waitFor();
    await page.getByLabel("Which").fill("board");
    await page.getByRole("button", { name: "Suspend", exact: true }).click();
    const row = page.getByRole("table", { name: "What is stopped" }).getByRole("row").nth(1);
    await row.getByText("It answers with somebody's data.").waitFor();
    expect(await stored()).toMatchObject([{ kind: "app", id: "board", state: "suspended" }]);
    await expectAccessible(page, "something is stopped");
    await shot(page, "stops");

    await row.getByRole("button", { name: "Resume board" }).click();
    await page.getByText("It is listed and called again.").waitFor();
    await expectAccessible(page, "resuming");
    await page.getByLabel("Why").fill("It was mended.");
    await page.getByRole("button", { name: "Resume", exact: true }).click();
    await page.getByText("Nothing is stopped").waitFor();
    expect(await stored()).toEqual([]);
  });

  test("52. knows API clients as agents by their names, and asks about names that it does not know", async () => {
    const { page } = owner;
    const [first] = await Promise.all([
      request<ApiClient>(stage.server, owner, "POST", "/api-clients", { name: "Catalog agent" }),
      request<ApiClient>(stage.server, owner, "POST", "/api-clients", { name: "Twin agent" }),
      request<ApiClient>(stage.server, owner, "POST", "/api-clients", { name: "Twin agent" }),
    ]);
    await page.reload();
    const suspend = page.getByRole("button", { name: "Suspend", exact: true });
    await page.getByRole("button", { name: "Stop something" }).click();
    const dialog = page.getByRole("dialog", { name: "Stop something" });
    await dialog.locator(`option[value="${first.clientId}"]`).waitFor({ state: "attached" });
    await dialog.getByLabel("Why").fill("It reads too much.");
    for (const [name, answer] of [
      ["Catalogue agent", /^No agent in the list is called so/],
      ["twin agent", /^Several are called so/],
    ] as const) {
      await dialog.getByLabel("Which").fill(name);
      await suspend.click();
      await dialog.getByText(answer).waitFor();
    }
    await suspend.click();
    await expectAccessible(page, "a name that several have");
    expect(await stored()).toEqual([]);
    await dialog.getByLabel("Which").fill("catalog agent");
    await suspend.click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject([{ kind: "api_client", id: first.clientId }]);

    // Clients of the configuration have ids of any form: who enters one once more means it.
    await page.getByRole("button", { name: "Stop something" }).click();
    await dialog.getByLabel("Which").fill("payroll");
    await dialog.getByLabel("Why").fill("It reads too much.");
    await suspend.click();
    await dialog.getByText(/^No agent in the list is called so/).waitFor();
    await suspend.click();
    await dialog.waitFor({ state: "detached" });
    expect(await stored()).toMatchObject([{ kind: "agent", id: "payroll" }, { kind: "api_client" }]);
    for (const id of ["payroll", first.clientId]) {
      const row = page.getByRole("table", { name: "What is stopped" }).getByRole("row").filter({ hasText: id });
      await row.getByRole("button", { name: /^Resume/ }).click();
      await page.getByLabel("Why").fill("It was mended.");
      await page.getByRole("button", { name: "Resume", exact: true }).click();
      await row.waitFor({ state: "detached" });
    }
  });

  test("52. ends the tokens of an agent, which cannot be resumed", async () => {
    const { page } = owner;
    await page.getByRole("button", { name: "Stop something" }).click();
    await page.getByLabel("Which").fill("https://agent.example/client.json");
    await page.getByRole("radio", { name: "End tokens and sessions" }).check();
    await page.getByLabel("Why").fill("Its token was in a log.");
    await page.getByRole("button", { name: "End tokens and sessions", exact: true }).click();
    const ended = page.getByRole("table", { name: "Ended tokens and sessions" });
    await ended.getByText("https://agent.example/client.json").waitFor();
    await page.getByText("Nothing is stopped").waitFor();
    expect(await page.getByRole("button", { name: /^Resume/ }).count()).toBe(0);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "ended tokens, narrow");
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(page, "stops-ended-narrow-dark");
    await expectAccessible(page, "ended tokens, narrow and dark");
  });
});
