import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "./support/axe.ts";
import { hold } from "./support/bad-server.ts";
import { consolePages, openPage } from "./support/pages.ts";
import { endSession, heading, OWNER, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("on bad days", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  const open = async (visitor: Visitor, name: string) => {
    const page = consolePages("").find((one) => one.name === name);
    if (page === undefined) throw new Error(`There is no page ${name}.`);
    await openPage(visitor.page, stage.server.url, page);
  };

  const sessionIsOver = (visitor: Visitor) => visitor.page.getByRole("dialog", { name: "Sign in again" });

  test("a slow server shows that something is on its way", async () => {
    const owner = await stage.owner();
    const overview = await hold(owner.page, "GET", "/api/v1/overview");
    await owner.page.goto(`${stage.server.url}/console/`);
    await owner.page.getByRole("main").getByRole("status", { name: "Loading" }).waitFor();
    await expectAccessible(owner.page, "loading");
    await overview.release();
    await heading(owner.page, "Overview").waitFor();
    await owner.page.getByText("Latest refusals").waitFor();
    await owner.leave();
  });

  test.each([
    ["do not arrive", (page: Page) => page.route(/\/chart-canvas[^/]*\.js$/, (route) => route.abort())],
    // What Chromium says of itself on a machine without a language. uPlot cannot be loaded then.
    [
      "know no such language",
      (page: Page) =>
        page.addInitScript(() => Object.defineProperty(navigator, "language", { get: () => "en-US@posix" })),
    ],
  ])("charts that %s leave their numbers, and the page as it is", async (_why, harm) => {
    const owner = await stage.owner();
    await harm(owner.page);
    await owner.page.goto(`${stage.server.url}/console/`);
    await heading(owner.page, "Overview").waitFor();
    await owner.page.getByText("The chart cannot be shown here.").first().waitFor();
    await owner.page.getByRole("table", { name: /^Tool calls/ }).waitFor();
    await owner.page.getByText("Latest refusals").waitFor();
    await expectAccessible(owner.page, "charts failed");
    await owner.leave(/dynamically imported module|Invalid language tag/);
  });

  test("a session that ends while somebody searches is renewed in place, and the search goes on", async () => {
    const owner = await signedInAnew(stage);
    await open(owner, "audit");
    await endSession(stage, owner);
    await owner.page.getByLabel("Agent").fill("nobody-has-this-name");
    await owner.page.keyboard.press("Enter");
    await sessionIsOver(owner).waitFor();
    await expectAccessible(owner.page, "session over");
    await sessionIsOver(owner).getByRole("button", { name: "Sign in with a passkey" }).click();
    await sessionIsOver(owner).waitFor({ state: "hidden" });
    await owner.page.getByText("No record matches").waitFor();
    expect(await owner.page.getByLabel("Agent").inputValue()).toBe("nobody-has-this-name");
    await owner.leave();
  });

  test("a session that ends is renewed in another tab, too", async () => {
    const owner = await signedInAnew(stage);
    await open(owner, "audit");
    await endSession(stage, owner);
    await owner.page.getByLabel("Agent").fill("nobody-has-this-name");
    await owner.page.keyboard.press("Enter");
    await sessionIsOver(owner).waitFor();
    const other = await signedInAnew(stage);
    await owner.context.addCookies(await other.context.cookies());
    await sessionIsOver(owner).getByRole("button", { name: "I am signed in again" }).click();
    await owner.page.getByText("No record matches").waitFor();
    await other.leave();
    await owner.leave();
  });

  test("whoever is not signed in sees nothing of anybody", async () => {
    const stranger = await stage.stranger();
    for (const { name, path } of consolePages("client_0")) {
      // For everybody.
      if (name === "connect") continue;
      await stranger.page.goto(stage.server.url + path);
      await stranger.page.getByRole("heading", { level: 1, name: /Sign in|not found|no such/i }).waitFor();
      expect(await stranger.page.locator("body").textContent()).not.toContain(OWNER.organization);
    }
    await stranger.leave();
  });
});
