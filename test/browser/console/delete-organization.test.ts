import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ageSession } from "./support/aged-session.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { press } from "./support/openings.ts";
import { expectToFit } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, OWNER, openStage, type Stage, signedInAnew } from "./support/stage.ts";

const ELEVEN_MINUTES = 660_000;
const NAME = "Reading Room";

/** Where to keep pictures of what is shown; nowhere unless it is named. */
const folder = process.env.SCREENSHOTS;

describe("the end of an organization", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  const panel = (page: Page) => page.getByRole("region", { name: "Delete this organization" });
  const dialog = (page: Page) => page.getByRole("dialog", { name: "Delete this organization?" });
  const confirm = (page: Page) => dialog(page).getByRole("button", { name: "Delete organization" });
  const openPage = async (page: Page) => {
    await page.goto(`${stage.server.url}/console/organization`);
    await heading(page, "Organization").waitFor();
    await panel(page).waitFor();
  };

  test("86. an owner types its name, signs in again, and goes on in another organization, where the record stands", async () => {
    const owner = await signedInAnew(stage);
    const { page } = owner;
    await openPage(page);
    expect(await panel(page).getByRole("button", { name: "Delete organization" }).isDisabled()).toBe(true);
    await panel(page).getByText("The first organization administers the instance and cannot be deleted.").waitFor();

    await press(page, "New organization");
    await page.getByRole("dialog").getByLabel("Name").fill(NAME);
    await page.getByRole("dialog").getByRole("button", { name: "Create organization" }).click();
    await page.getByRole("button", { name: NAME }).first().waitFor();
    await openPage(page);
    await ageSession(stage, owner, ELEVEN_MINUTES);
    await panel(page).getByRole("button", { name: "Delete organization" }).press("Enter");
    await dialog(page).getByText("Audit records stay until their retention ends.").waitFor();
    await expectAccessibleInBothSchemes(page, "deleting an organization");
    await page.setViewportSize({ width: 360, height: 800 });
    await expectToFit(page, "deleting an organization");
    if (folder !== undefined) await page.screenshot({ path: join(folder, "delete-organization-360.png") });
    await page.setViewportSize({ width: 1280, height: 800 });
    if (folder !== undefined) await page.screenshot({ path: join(folder, "delete-organization.png") });

    expect(await confirm(page).isDisabled()).toBe(true);
    await dialog(page).getByRole("textbox").fill("Reading");
    expect(await confirm(page).isDisabled()).toBe(true);
    await dialog(page).getByRole("textbox").fill(NAME);
    await confirm(page).click();
    const again = page.getByRole("dialog", { name: "Sign in again" });
    await again.getByRole("button", { name: "Sign in with a passkey" }).click();
    await dialog(page).waitFor({ state: "hidden" });
    await heading(page, "Overview").waitFor();
    await page.getByRole("button", { name: OWNER.organization }).first().waitFor();
    const { organizations } = await request<{ readonly organizations: readonly { readonly name: string }[] }>(
      stage.server,
      owner,
      "GET",
      "/me",
    );
    expect(organizations.map(({ name }) => name)).toEqual([OWNER.organization]);

    await page.goto(`${stage.server.url}/console/audit?type=organization.deleted`);
    await heading(page, "Audit log").waitFor();
    await page.getByRole("table").getByText("organization.deleted").first().waitFor();
    await owner.leave();
  });

  test("86. who has no other organization is signed out, and a member is not asked", async () => {
    const owner = await signedInAnew(stage);
    const made = await request<{ readonly organizationId: string }>(stage.server, owner, "POST", "/organizations", {
      name: NAME,
    });
    const invite = (email: string, role: string) =>
      owner.context.request
        .post(`${stage.server.url}/api/v1/invitations`, {
          headers: { "Countersign-Organization": made.organizationId },
          data: { email, role },
        })
        .then((answer) => answer.json() as Promise<{ readonly link: string }>);
    const links = [await invite("bob@desk.example", "owner"), await invite("carol@desk.example", "member")];
    await owner.leave();
    const [bob, carol] = [await stage.stranger(), await stage.stranger()];
    for (const [index, visitor] of [bob, carol].entries()) {
      const token = new URLSearchParams(new URL(links[index]?.link ?? "").hash.slice(1)).get("token");
      await request(stage.server, visitor, "POST", "/invitations/accept", { token });
    }
    await carol.page.goto(`${stage.server.url}/console/organization`);
    await carol.page.getByRole("region", { name: "Leave this organization" }).waitFor();
    expect(await panel(carol.page).count()).toBe(0);

    await openPage(bob.page);
    await panel(bob.page).getByRole("button", { name: "Delete organization" }).click();
    await dialog(bob.page).getByText("It is your only organization").waitFor();
    await dialog(bob.page).getByRole("textbox").fill(NAME);
    await confirm(bob.page).click();
    await heading(bob.page, /Sign in/).waitFor();
    const me = await carol.context.request.get(`${stage.server.url}/api/v1/me`);
    expect(me.status()).toBe(401);
    await bob.leave();
    await carol.leave();
  });
});
