import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, test } from "vitest";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { fillWithSamples } from "./support/sample.ts";
import { openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

/** What opens over a page. */
interface Opening {
  readonly name: string;
  /** Below the Console; an API client's page is `client`. */
  readonly path: string;
  /** From the page as it is after loading. */
  readonly open: (page: Page) => Promise<unknown>;
}

const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
const show = (page: Page, name: string | RegExp) => page.getByRole("tab", { name }).click();

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

  test.each(OPENINGS)("$name", async ({ name, path, open }) => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/${path === "client" ? `api-clients/${clientId}` : path}`);
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    await loaded(page);
    await open(page);
    await expectAccessibleInBothSchemes(page, name);
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, name);
    await page.setViewportSize({ width: 1200, height: 800 });
  });
});
