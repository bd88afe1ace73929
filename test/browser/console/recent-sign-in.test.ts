import { afterAll, beforeAll, describe, test } from "vitest";
import { ageSession } from "./support/aged-session.ts";
import { expectAccessible } from "./support/axe.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const ELEVEN_MINUTES = 660_000;

describe("changing how one signs in", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  /** On the account page, in a session of their own that is eleven minutes old. */
  const signedInBefore = async () => {
    const owner = await signedInAnew(stage);
    await owner.page.goto(`${stage.server.url}/console/account`);
    await heading(owner.page, "Account").waitFor();
    await ageSession(stage, owner, ELEVEN_MINUTES);
    return owner;
  };

  const again = ({ page }: Visitor) => page.getByRole("dialog", { name: "Sign in again" });

  const signInAgain = async (visitor: Visitor) => {
    await again(visitor).getByText("This needs a recent sign-in.").waitFor();
    await again(visitor).getByRole("button", { name: "Sign in with a passkey" }).click();
    await again(visitor).waitFor({ state: "hidden" });
  };

  test("an account is connected, and disconnected, after signing in again in place", async () => {
    const owner = await signedInBefore();
    const { page } = owner;
    await page.getByRole("button", { name: "Connect corp" }).click();
    await again(owner).waitFor();
    await expectAccessible(page, "sign in again");
    await signInAgain(owner);
    await page.getByLabel("Name").fill("ada");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").getByText("The account is connected").waitFor();
    await ageSession(stage, owner, ELEVEN_MINUTES);
    await page.getByRole("button", { name: /^Disconnect/ }).click();
    await page.getByRole("button", { name: "Disconnect account" }).click();
    await signInAgain(owner);
    await page.getByText("No connected accounts").waitFor();
    await owner.leave();
  });

  test("a passkey is added after signing in again in a new tab, where the account at the connector is the way", async () => {
    const owner = await signedInAnew(stage);
    const invited = { email: "carol@library.example", role: "member" };
    const { link } = await request<{ readonly link: string }>(stage.server, owner, "POST", "/invitations", invited);
    await owner.leave();
    const carol = await stage.stranger();
    const { page } = carol;
    await page.goto(link);
    await page.getByRole("button", { name: "Accept with corp" }).click();
    await page.getByLabel("Name").fill("carol");
    await page.getByRole("button", { name: "Sign in" }).click();
    await heading(page, "Overview").waitFor();
    await page.goto(`${stage.server.url}/console/account`);
    await ageSession(stage, carol, ELEVEN_MINUTES);
    await page.getByRole("button", { name: "Add passkey" }).click();
    await page.getByLabel("Name").fill("Key on my desk");
    await page.getByRole("button", { name: "Create passkey" }).click();
    const opened = carol.context.waitForEvent("page");
    await again(carol).getByRole("link", { name: "Sign in in a new tab" }).click();
    const tab = await opened;
    await tab.getByRole("button", { name: "Continue with corp" }).click();
    await heading(tab, "You are signed in").waitFor();
    await again(carol).getByRole("button", { name: "I am signed in again" }).click();
    await page.getByText("Key on my desk").waitFor();
    await again(carol).waitFor({ state: "hidden" });
    await carol.leave();
  });

  test("whoever does not sign in again is told so, and has changed nothing", async () => {
    const owner = await signedInBefore();
    const { page } = owner;
    await page
      .getByRole("button", { name: /^Remove passkey/ })
      .first()
      .click();
    await page.getByRole("button", { name: "Remove passkey" }).last().click();
    await again(owner).getByRole("button", { name: "I am signed in again" }).click();
    await again(owner).getByRole("alert").getByText("still has the earlier session").waitFor();
    await again(owner).getByRole("button", { name: "Change nothing" }).click();
    await again(owner).waitFor({ state: "hidden" });
    await page.getByRole("alert").getByText("can be done for ten minutes after signing in").waitFor();
    await owner.leave();
  });
});
