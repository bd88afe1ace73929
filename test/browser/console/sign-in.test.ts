import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createWorkplace } from "../../cli/countersign.ts";
import { expectAccessible } from "./support/axe.ts";
import { request } from "./support/requests.ts";
import { heading, OWNER, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("coming into the Console", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  const account = (visitor: Visitor, email: string) =>
    visitor.page.getByRole("button", { name: `Account of ${email}` });

  const signOut = async (visitor: Visitor, email: string) => {
    await account(visitor, email).click();
    await visitor.page.getByRole("menuitem", { name: "Sign out" }).click();
    await heading(visitor.page, "Sign in").waitFor();
  };

  /** The provider's page, then back. */
  const signInAtCorp = async ({ page }: Visitor, login: string) => {
    await page.getByLabel("Name").fill(login);
    await page.getByRole("button", { name: "Sign in" }).click();
  };

  const invite = (owner: Visitor, email: string, role = "member") =>
    request<{ readonly link: string }>(stage.server, owner, "POST", "/invitations", { email, role });

  test("whoever opens a page signed out goes on to it after signing in with a passkey", async () => {
    const owner = await stage.owner({});
    await owner.context.clearCookies();
    await owner.page.goto(`${stage.server.url}/console/audit?type=person.signed_in`);
    await heading(owner.page, "Sign in").waitFor();
    await expectAccessible(owner.page, "sign-in");
    await owner.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await heading(owner.page, "Audit log").waitFor();
    expect(new URL(owner.page.url()).search).toBe("?type=person.signed_in");
    await account(owner, OWNER.email).waitFor();
    await owner.leave();
  });

  test("signing out ends the session on the server, and the back button shows nothing of before", async () => {
    const owner = await stage.owner();
    await owner.context.clearCookies();
    await owner.page.goto(`${stage.server.url}/console/`);
    await owner.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await heading(owner.page, "Overview").waitFor();
    await owner.page.getByRole("navigation").getByRole("link", { name: "Audit log" }).click();
    await heading(owner.page, "Audit log").waitFor();
    const cookies = await owner.context.cookies();
    await signOut(owner, OWNER.email);
    await owner.page.getByText("You are signed out.").waitFor();
    await owner.page.goBack();
    await heading(owner.page, "Sign in").waitFor();
    expect(await owner.page.locator("body").textContent()).not.toContain(OWNER.email);
    await owner.context.addCookies(cookies);
    const again = await owner.context.request.get(`${stage.server.url}/api/v1/me`);
    expect(again.status()).toBe(401);
    await owner.leave();
  });

  test("a passkey that this instance does not know is refused in words", async () => {
    const stranger = await stage.stranger();
    await stranger.page.goto(`${stage.server.url}/console/sign-in`);
    await stranger.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await stranger.page.getByRole("alert").getByText("No passkey was used").waitFor();
    await expectAccessible(stranger.page, "sign-in refused");
    await stranger.leave();
  });

  test("an invited person accepts in their own browser, with a passkey, and reads what a member may", async () => {
    const owner = await stage.owner();
    const { link } = await invite(owner, "bob@library.example");
    const bob = await stage.stranger();
    await bob.page.goto(link);
    await heading(bob.page, `Join ${OWNER.organization}`).waitFor();
    expect(bob.page.url()).not.toContain("token");
    await expectAccessible(bob.page, "invitation");
    await bob.page.getByRole("button", { name: "Accept invitation" }).click();
    await bob.page.getByRole("button", { name: "Create passkey" }).click();
    await heading(bob.page, "Overview").waitFor();
    await signOut(bob, "bob@library.example");
    await bob.page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await account(bob, "bob@library.example").waitFor();
    const { role } = await request<{ readonly role: string }>(stage.server, bob, "GET", "/me");
    expect(role).toBe("member");
    await bob.page.goto(link);
    await heading(bob.page, "This invitation is gone").waitFor();
    await bob.leave();
    await owner.leave();
  });

  test("an invited person accepts through the connector, and signs in with it from then on", async () => {
    const owner = await stage.owner();
    const { link } = await invite(owner, "carol@library.example", "owner");
    const carol = await stage.stranger();
    await carol.page.goto(link);
    await carol.page.getByRole("button", { name: "Accept with corp" }).click();
    await signInAtCorp(carol, "carol");
    await account(carol, "carol@library.example").waitFor();
    await signOut(carol, "carol@library.example");
    await carol.page.getByRole("button", { name: "Continue with corp" }).click();
    await account(carol, "carol@library.example").waitFor();
    await carol.leave();
    await owner.leave();
  });

  test("an account at the connector that belongs to nobody gets advice, and one who breaks off there comes back", async () => {
    const stranger = await stage.stranger();
    await stranger.page.goto(`${stage.server.url}/console/sign-in`);
    await stranger.page.getByRole("button", { name: "Continue with corp" }).click();
    await signInAtCorp(stranger, "mallory");
    await stranger.page.getByRole("alert").getByText("Nobody here has that account").waitFor();
    await stranger.leave();
    const other = await stage.stranger();
    await other.page.goto(`${stage.server.url}/console/sign-in`);
    await other.page.getByRole("button", { name: "Continue with corp" }).click();
    await other.page.getByRole("button", { name: "Cancel" }).click();
    await other.page.getByRole("alert").getByText("Signing in was declined").waitFor();
    await other.leave();
  });

  test("whoever sets an instance up again that has an owner is asked for no organization, and told who may come back", async () => {
    const stranger = await stage.stranger();
    await stranger.page.goto(`${stage.server.url}/console/setup#token=configured-anew`);
    await stranger.page.getByText("This instance has an owner").waitFor();
    await expectAccessible(stranger.page, "setup with an owner");
    expect(await stranger.page.getByLabel("Organization").count()).toBe(0);
    await stranger.page.getByLabel("Your e-mail address").fill("mallory@library.example");
    const sent = stranger.page.waitForRequest(/\/api\/v1\/setup$/);
    await stranger.page.getByRole("button", { name: "Sign in" }).click();
    expect((await sent).postDataJSON()).toEqual({ token: "configured-anew", email: "mallory@library.example" });
    await stranger.page.getByRole("alert").waitFor();
    await stranger.leave();
  });

  test("a one-time link of the command line signs in once, and says so the second time", async () => {
    const workplace = await createWorkplace();
    const { stdout: link } = await workplace.countersign("owner", "-email", "dora@library.example");
    const server = await workplace.serve();
    const dora = await stage.stranger();
    try {
      await dora.page.goto(link.trim());
      await account(dora, "dora@library.example").waitFor();
      expect(dora.page.url()).not.toContain("token");
      const second = await stage.stranger();
      await second.page.goto(link.trim());
      await second.page.getByRole("alert").getByText("The link did not work").waitFor();
      await second.leave();
    } finally {
      await dora.leave();
      await server.stop();
      workplace.remove();
    }
  });
});
