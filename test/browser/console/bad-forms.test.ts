import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { expectAccessible } from "./support/axe.ts";
import { FAILED_REQUEST, fail, hold } from "./support/bad-server.ts";
import { request } from "./support/requests.ts";
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

  describe("while another owner was faster", () => {
    let client: ApiClient;
    beforeAll(async () => {
      const other = await stage.owner();
      client = await request(stage.server, other, "POST", "/api-clients", { name: "Both", description: "Ours." });
      await other.leave();
    });

    const edit = ({ page }: Visitor) => page.getByRole("dialog", { name: "Edit API client" });

    /** The owner's form is open when somebody else changes the client, and is sent after that. */
    const raceWith = async (owner: Visitor, change: object) => {
      await owner.page.goto(`${stage.server.url}/console/api-clients/${client.clientId}`);
      await owner.page.getByRole("button", { name: "Edit" }).click();
      await edit(owner).getByRole("textbox", { name: /^Name/ }).fill("My name for it");
      await request(stage.server, owner, "PATCH", `/api-clients/${client.clientId}`, change);
      await edit(owner).getByRole("button", { name: "Save changes" }).click();
      await edit(owner).getByText("Somebody else changed this API client meanwhile").waitFor();
      await expectAccessible(owner.page, "changed meanwhile");
      expect(await edit(owner).getByRole("textbox", { name: /^Name/ }).inputValue()).toBe("My name for it");
    };

    const save = async (owner: Visitor, choice: string) => {
      await edit(owner).getByRole("button", { name: choice }).click();
      await edit(owner).getByRole("button", { name: "Save changes" }).click();
      await edit(owner).waitFor({ state: "hidden" });
    };

    test("keeps both changes where they do not meet", async () => {
      const owner = await stage.owner();
      await raceWith(owner, { description: "Theirs." });
      await save(owner, "Go on with both changes");
      await heading(owner.page, "My name for it").waitFor();
      await owner.page.getByText("Theirs.").waitFor();
      await owner.leave();
    });

    test("lets the person choose where they do", async () => {
      const owner = await stage.owner();
      await request(stage.server, owner, "PATCH", `/api-clients/${client.clientId}`, { name: "Both" });
      await raceWith(owner, { name: "Their name for it" });
      await edit(owner).getByText("Their name for it").waitFor();
      await save(owner, "Keep my entries");
      await heading(owner.page, "My name for it").waitFor();
      await owner.leave();
    });
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
