import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "./support/axe.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";

const WORDS = [
  { sent: true, title: "Invitation sent", note: "The link was sent by e-mail" },
  { sent: false, title: "Send this link", note: "The mail could not be sent" },
  { sent: undefined, title: "Send this link", note: "Countersign sends no mail" },
];

describe("an invitation", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  test.each(WORDS)("87. whose mail was sent ($sent) says so, and shows the link either way", async (row) => {
    const { sent, title, note } = row;
    const owner = await stage.owner({ viewport: { width: 360, height: 740 }, colorScheme: "dark" });
    const { page } = owner;
    // What the instance answers where `email` is configured.
    await page.route("**/api/v1/invitations", async (route) => {
      if (route.request().method() !== "POST") return route.fallback();
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), sent } });
    });
    await page.goto(`${stage.server.url}/console/organization`);
    await heading(page, "Organization").waitFor();
    await page.getByRole("button", { name: "Invite member" }).first().click();
    await page.getByLabel("E-mail address").fill(`bob-${sent}@library.example`);
    await page.getByRole("button", { name: "Create invitation" }).click();
    const dialog = page.getByRole("dialog", { name: title });
    await dialog.getByText(note).waitFor();
    await dialog.getByText(`bob-${sent}@library.example`).waitFor();
    expect(await dialog.getByText("#token=").count()).toBe(1);
    await expectAccessible(page, note);
    const scroll = await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
    expect(scroll, "the page is as wide as the screen").toBe(true);
    await dialog.getByRole("button", { name: "Done" }).click();
    await owner.leave();
  });
});
