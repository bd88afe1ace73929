import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { ENDS, focused } from "./support/ends.ts";
import { shot } from "./support/looks.ts";
import { type Opening, press, show } from "./support/openings.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { fillWithSamples } from "./support/sample.ts";
import { openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const OPENINGS: readonly Opening[] = [
  { name: "new API client", path: "api-clients", open: (page) => press(page, "New API client") },
  { name: "editing an API client", path: "client", open: (page) => press(page, "Edit") },
  { name: "guide to a rotation", path: "client", open: (page) => press(page, "Rotate") },
  {
    name: "registering a public key",
    path: "client",
    open: async (page) => {
      await press(page, "Add key pair");
      await page.getByRole("radio", { name: "I have one" }).check();
    },
  },
  {
    name: "private key that is not downloaded yet",
    path: "client",
    open: async (page) => {
      await press(page, "Add key pair");
      await press(page, "Generate key pair");
      await page.getByRole("button", { name: "Download private key" }).waitFor();
    },
  },
  {
    name: "giving a private key up",
    path: "client",
    open: async (page) => {
      await press(page, "Add key pair");
      await press(page, "Generate key pair");
      await press(page, "Close without it");
    },
  },
  { name: "revoking a key pair", path: "client", open: (page) => press(page, /^Revoke key pair/) },
  { name: "deleting an API client", path: "client", open: (page) => press(page, "Delete API client") },
  { name: "snippet in TypeScript", path: "client", open: (page) => show(page, "TypeScript") },
  { name: "snippet in Python", path: "client", open: (page) => show(page, "Python") },
  { name: "record of the audit log", path: "audit", open: (page) => press(page, "tool.invoked") },
  { name: "ways to export", path: "audit", open: (page) => press(page, "Export") },
  { name: "search without a result", path: "audit?tool=nothing", open: (page) => loaded(page) },
  { name: "tool", path: "gateway", open: (page) => press(page, /library_searchBooks/) },
  { name: "MCP servers", path: "gateway", open: (page) => show(page, /MCP servers/) },
  { name: "upstreams", path: "gateway", open: (page) => show(page, /Upstreams/) },
  { name: "tools that are left out", path: "gateway", open: (page) => show(page, /Left out/) },
  {
    name: "ending an agent's session",
    path: "gateway",
    open: async (page) => {
      await show(page, /Sessions/);
      await press(page, /^End the session of/);
    },
  },
  ...["Claude Code", "VS Code", "Python"].map(
    (client): Opening => ({
      name: `connecting ${client} with a token`,
      path: "gateway",
      open: async (page) => {
        await press(page, "Show client configuration");
        await page.getByText("Has a token").click();
        await page.getByLabel("Client", { exact: true }).selectOption(client);
        await page
          .getByRole("region", { name: "MCP client configuration" })
          .getByText("COUNTERSIGN_TOKEN")
          .or(page.getByText("input:token"))
          .first()
          .waitFor();
      },
    }),
  ),
  { name: "renaming the organization", path: "organization", open: (page) => press(page, "Rename") },
  { name: "new organization", path: "organization", open: (page) => press(page, "New organization") },
  { name: "inviting a member", path: "organization", open: (page) => press(page, "Invite member") },
  { name: "revoking an invitation", path: "organization", open: (page) => press(page, /^Revoke invitation/) },
  { name: "what can be done with a member", path: "organization", open: (page) => press(page, /^Actions for/) },
  { name: "adding a passkey", path: "account", open: (page) => press(page, "Add passkey") },
  { name: "removing a passkey", path: "account", open: (page) => press(page, /^Remove passkey/) },
  { name: "switching organizations", path: "account", open: (page) => press(page, /^Organization/) },
  {
    name: "a person's menu",
    path: "account",
    open: async (page) => {
      await press(page, /^Account of/);
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
  },
];

describe("what opens over a page can be used by anybody, and fits a window 360 pixels wide", () => {
  let stage: Stage;
  let owner: Visitor;
  let clientId: string;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: { width: 1200, height: 800 } });
    clientId = (await fillWithSamples(stage.server, owner))[0]?.clientId ?? "";
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const go = async (path: string) => {
    await owner.page.goto(`${stage.server.url}/console/${path === "client" ? `api-clients/${clientId}` : path}`);
    await owner.page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    await loaded(owner.page);
  };

  test.each(OPENINGS)("$name", async ({ name, path, open }) => {
    const { page } = owner;
    await go(path);
    await open(page);
    await expectAccessibleInBothSchemes(page, name);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, name);
    await shot(page, name);
    await page.setViewportSize({ width: 1200, height: 800 });
  });

  describe("and leaves the keyboard where one can go on", () => {
    beforeAll(async () => {
      const email = "bob@library.example";
      const invitation = await request<Invited>(stage.server, owner, "POST", "/invitations", { email, role: "member" });
      const token = new URLSearchParams(new URL(invitation.link).hash.slice(1)).get("token");
      const bob = await stage.stranger();
      await request(stage.server, bob, "POST", "/invitations/accept", { token });
      await bob.leave();
      await (await signedInAnew(stage)).leave();
    });

    test("where nothing was done", async () => {
      await go("account");
      await press(owner.page, /^Remove passkey/);
      await owner.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => focused(owner.page)).toMatch(/^Remove passkey/);
      await go("organization");
      await press(owner.page, "Actions for bob@library.example");
      await owner.page.getByRole("menuitem", { name: "Make owner" }).click();
      await owner.page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      await expect.poll(() => focused(owner.page)).toBe("Actions for bob@library.example");
    });

    test.each(ENDS)("where $name", async ({ path, open, confirm, focus }) => {
      const { page } = owner;
      await go(path);
      await open(page);
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: confirm }).click();
      await dialog.waitFor({ state: "hidden" });
      await expect.poll(() => focused(page)).toMatch(focus);
    });
  });
});

interface Invited {
  readonly link: string;
}
