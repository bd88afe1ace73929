import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "./support/axe.ts";
import { FAILED_REQUEST, fail, hold } from "./support/bad-server.ts";
import { endSession, heading, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const CLIENTS = "/api/v1/api-clients";

describe("a form on a bad day", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  const form = ({ page }: Visitor) => page.getByRole("dialog", { name: "New API client" });
  const submit = (visitor: Visitor) => form(visitor).getByRole("button", { name: "Create API client" });

  const fillIn = async (visitor: Visitor, name: string) => {
    await visitor.page.goto(`${stage.server.url}/console/api-clients`);
    await visitor.page.getByRole("button", { name: "New API client" }).click();
    await form(visitor).getByLabel("Name", { exact: false }).first().fill(name);
    await form(visitor).getByLabel("Description").fill("Written with care.");
    await form(visitor).getByLabel("library:read").check();
  };

  const expectFilledIn = async (visitor: Visitor, name: string) => {
    expect(await form(visitor).getByLabel("Name", { exact: false }).first().inputValue()).toBe(name);
    expect(await form(visitor).getByLabel("Description").inputValue()).toBe("Written with care.");
    expect(await form(visitor).getByLabel("library:read").isChecked()).toBe(true);
  };

  test("keeps what was typed when the session ends, and sends it once somebody signed in again in place", async () => {
    const owner = await signedInAnew(stage);
    await fillIn(owner, "Made across two sessions");
    await endSession(stage, owner);
    await submit(owner).click();
    const over = owner.page.getByRole("dialog", { name: "Sign in again" });
    await over.getByRole("button", { name: "Sign in with a passkey" }).click();
    await heading(owner.page, "Made across two sessions").waitFor();
    await owner.leave();
  });

  test("is sent once, however often somebody presses while the server is slow", async () => {
    const owner = await stage.owner();
    await fillIn(owner, "Pressed twice");
    const held = await hold(owner.page, "POST", CLIENTS);
    await submit(owner).dblclick();
    await owner.page.keyboard.press("Enter");
    await expect.poll(() => held.count()).toBe(1);
    expect(await submit(owner).isEnabled()).toBe(false);
    await expectAccessible(owner.page, "sending");
    await held.release();
    await heading(owner.page, "Pressed twice").waitFor();
    expect(owner.traffic.count("POST", CLIENTS)).toBe(1);
    await owner.leave();
  });

  test("is kept when the server fails, with the request's id, and works when it is sent again", async () => {
    const owner = await stage.owner();
    await fillIn(owner, "Second try");
    const failing = await fail(owner.page, new RegExp(`^${CLIENTS}$`));
    await submit(owner).click();
    await form(owner).getByRole("alert").getByText(FAILED_REQUEST).waitFor();
    await expectAccessible(owner.page, "form with a failure");
    await expectFilledIn(owner, "Second try");
    await failing.end();
    await submit(owner).click();
    await heading(owner.page, "Second try").waitFor();
    await owner.leave();
  });

  test("is kept without a connection, and works when there is one", async () => {
    const owner = await stage.owner();
    await fillIn(owner, "On the train");
    await owner.context.setOffline(true);
    await submit(owner).click();
    await form(owner).getByRole("alert").getByText("The server cannot be reached.").waitFor();
    await expectFilledIn(owner, "On the train");
    await owner.context.setOffline(false);
    await submit(owner).click();
    await heading(owner.page, "On the train").waitFor();
    await owner.leave();
  });

  test("says at the field what the server does not accept", async () => {
    const owner = await stage.owner();
    await fillIn(owner, "With an odd scope");
    await form(owner).getByLabel("Further scopes").fill("members:write");
    await owner.page.keyboard.press("Enter");
    await submit(owner).click();
    await form(owner)
      .getByText(/members:write administers/)
      .waitFor();
    await expectAccessible(owner.page, "form with a refused field");
    await expectFilledIn(owner, "With an odd scope");
    await owner.leave();
  });

  test("is not thrown away by Escape, a click beside it or a wrong link without a question", async () => {
    const owner = await stage.owner();
    await fillIn(owner, "Not by accident");
    await owner.page.keyboard.press("Escape");
    const question = owner.page.getByRole("dialog", { name: "Discard what you entered?" });
    await question.waitFor();
    await expectAccessible(owner.page, "discard question");
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "hidden" });
    await owner.page.mouse.click(20, 400);
    await expectFilledIn(owner, "Not by accident");
    await owner.page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Discard" }).click();
    await form(owner).waitFor({ state: "hidden" });
    expect(owner.traffic.count("POST", CLIENTS)).toBe(0);
    await owner.leave();
  });
});
