import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openEmbeddedStore } from "../../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { ConnectedAgentPage } from "../../../lib/management/schemas/consents.ts";
import type { StopList } from "../../../lib/management/schemas/stops.ts";
import { registeredClient } from "../../contract/grant-records.ts";
import { givenConsent, redeemedChain } from "../../contract/grant-workings.ts";
import { auditEvent } from "../../contract/records.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { fail } from "./support/bad-server.ts";
import { linkAccount } from "./support/connections.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import type { ConsoleServer } from "./support/server.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("connected agents", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: WIDE });
    await connectAgents(stage.server, owner);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const open = async (page: Page, path: string, name: string) => {
    await page.goto(`${stage.server.url}/console/${path}`);
    await heading(page, name).waitFor();
    await loaded(page);
  };
  const list = async (query = "") =>
    (await request<ConnectedAgentPage>(stage.server, owner, "GET", `/connected-agents${query}`)).items;
  const table = (page: Page, name: string) => page.getByRole("table", { name });
  const rows = async (page: Page, name: string) =>
    (await table(page, name).getByRole("row").allTextContents()).slice(1);

  test("an owner sees what agents may call for whom, and passes on an address with all filters", async () => {
    const { page } = owner;
    const { name } = await request<ApiClient>(stage.server, owner, "POST", "/api-clients", {
      ...{ name: "Desk", scopes: [], resources: [] },
    });
    await open(page, "gateway/access", "Who can call what");
    const columns = () => table(page, "Who can call what").getByRole("columnheader").allTextContents();
    expect((await columns()).slice(0, 2)).toEqual(["Tool", name]);
    expect((await columns()).filter((column) => column.includes("Agent for"))).not.toEqual([]);
    await shot(page, "access");
    await expectAccessibleInBothSchemes(page, "who can call what, with agents");

    await page.getByLabel("Person").fill("ada@corp");
    await page.waitForURL((url) => url.searchParams.get("person") === "ada@corp");
    await expect.poll(columns).toEqual(["Tool", expect.stringContaining("Agent for ada@corp.example")]);
    await page.getByLabel("Answer").selectOption("May not");
    await page.getByLabel("Tool or scope").fill("library:");
    await page.waitForURL((url) => url.searchParams.get("tool") === "library:");
    expect(new URL(page.url()).search).toBe("?person=ada%40corp&tool=library%3A&answer=no");
    const address = page.url();
    const shown = await rows(page, "Who can call what");
    expect(shown.length).toBeGreaterThan(0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export as CSV" }).click();
    const lines = (await readFile(await (await download).path(), "utf8")).trimEnd().split("\r\n");
    expect(lines.slice(1).map((line) => line.split(",").at(-1))).toEqual(shown.map(() => '"ada@corp.example"'));

    await page.goto(`${stage.server.url}/console/account`);
    await page.goto(address);
    await expect.poll(() => rows(page, "Who can call what")).toEqual(shown);
    expect(await page.getByLabel("Person").inputValue()).toBe("ada@corp");
    await shot(page, "access-person");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "who can call what, narrow");
    await expectAccessible(page, "who can call what, narrow");
    await page.setViewportSize(WIDE);
    await page
      .getByRole("link", { name: /^Why\? / })
      .first()
      .click();
    await heading(page, "Why?").waitFor();
    expect(new URL(page.url()).searchParams.get("person")).toMatch(/^user_/);
  });

  test("a person sees on their account what each agent may do, and ends one with the keyboard alone", async () => {
    const { page } = owner;
    await open(page, "account", "Account");
    const [helper, document] = await rows(page, "Connected agents");
    // What would turn the line around is shown by its number.
    expect(helper).toContain("HelperU+202E");
    expect(helper).toContain("at 127.0.0.1");
    expect(helper).toContain("Know that it is the person");
    expect(helper).toContain("loans:write");
    expect(document).toContain("at agent.example");
    await shot(page, "account");
    await expectAccessibleInBothSchemes(page, "account with agents");
    await page.setViewportSize({ width: 360, height: 740 });
    await shot(page, "account-narrow");
    await expectToFit(page, "account with agents, narrow");
    await expectAccessible(page, "account with agents, narrow");
    await page.setViewportSize(WIDE);

    const end = table(page, "Connected agents").getByRole("button", { name: "End HelperU+202E" });
    await end.focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "End what this agent may do?" });
    await dialog.getByText("Every token that", { exact: false }).waitFor();
    await shot(page, "ending");
    await expectAccessible(page, "ending");
    // Cancel has the focus: Enter ends nothing.
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "hidden" });
    expect(await list()).toHaveLength(2);

    await page.keyboard.press("Enter");
    await dialog.waitFor();
    const failing = await fail(page, /^\/api\/v1\/consents/);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await dialog.getByText("The agent was not disconnected").waitFor();
    await failing.end();
    await dialog.getByRole("button", { name: "End" }).click();
    await dialog.waitFor({ state: "hidden" });
    await expect.poll(() => rows(page, "Connected agents")).toHaveLength(1);
    expect((await list()).map(({ hosts }) => hosts)).toEqual([["agent.example"]]);
  });

  test("an owner sees everybody's by name, ends somebody's, stops an agent for all, and resumes it", async () => {
    const { page } = owner;
    const account = { person: (await list())[0]?.user, account: { id: "7", label: "octocat" }, connector: "github" };
    const connection = { connectionId: "connection_1", app: "issues", scopes: [], state: "connected", ...account };
    await page.route(/\/connections\?/, (route) => route.fulfill({ json: { items: [connection] } }));
    await open(page, "connected-agents", "Connected agents");
    await table(page, "Everybody's agents").getByText("with octocat at github for issues").first().waitFor();
    expect(await rows(page, "Everybody's agents")).toHaveLength(3);
    // Who signed in with an account of a connector, and at the last use within the hour.
    await table(page, "Everybody's agents").getByText("ada@corp.example").waitFor();
    await table(page, "Everybody's agents").getByText("Within the last hour").waitFor();
    await shot(page, "everybodys");
    await page.emulateMedia({ colorScheme: "dark" });
    await shot(page, "everybodys-dark");
    await page.emulateMedia({ colorScheme: null });
    await expectAccessibleInBothSchemes(page, "everybody's agents");
    await page.setViewportSize({ width: 360, height: 740 });
    await shot(page, "everybodys-narrow");
    await expectToFit(page, "everybody's agents, narrow");
    await page.setViewportSize(WIDE);
    const all = table(page, "Everybody's agents");
    await all.getByRole("button", { name: "End HelperU+202E" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
    await expect.poll(() => rows(page, "Everybody's agents")).toHaveLength(2);

    await all
      .getByRole("button", { name: /^Stop .* for everybody$/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog", { name: "Stop this agent?" });
    await dialog.getByText("https://agent.example/", { exact: false }).waitFor();
    expect(await dialog.getByLabel("Which").count()).toBe(0);
    await shot(page, "stopping");
    await expectAccessible(page, "stopping an agent");
    await dialog.getByLabel("Why").fill("It deleted what it should read.");
    await dialog.getByRole("button", { name: "Suspend", exact: true }).click();
    await dialog.waitFor({ state: "hidden" });
    const { items } = await request<StopList>(stage.server, owner, "GET", "/stops");
    expect(items).toMatchObject([{ kind: "agent", state: "suspended" }]);
    await all.getByText("Stopped", { exact: true }).waitFor();
    await shot(page, "stopped");
    await expectAccessibleInBothSchemes(page, "a stopped agent");
    await all.getByRole("button", { name: /^Resume .* for everybody$/ }).click();
    const resuming = page.getByRole("dialog", { name: "Resume this agent?" });
    await resuming.getByLabel("Why").fill("It was mended.");
    await resuming.getByRole("button", { name: "Resume", exact: true }).click();
    await all.getByText("Stopped", { exact: true }).waitFor({ state: "hidden" });
  });
});

const WIDE = { width: 1200, height: 800 };

/** Two agents of the owner, one that registered itself and one with a document, and one of somebody without account here. */
async function connectAgents(server: ConsoleServer, owner: Visitor): Promise<void> {
  const store = openEmbeddedStore(server.store, systemClock);
  try {
    const { stores } = store;
    const subject = await linkAccount(stores, server, owner);
    const metadata = { client_name: "Helper\u202e", redirect_uris: ["http://127.0.0.1/callback"] };
    const { clientId, ...record } = registeredClient({ metadata });
    await stores.registeredClients.create({ clientId, ...record }, auditEvent({ type: "client.registered" }));
    const scopes = ["openid", "offline_access", "catalog:read", "loans:write"];
    await givenConsent(stores, { subject, createdAt: Date.now() - 50 * DAY });
    await givenConsent(stores, { subject, clientId, scopes });
    await givenConsent(stores, { clientId, scopes: [] });
    await redeemedChain(stores);
  } finally {
    await store.close();
  }
}

const DAY = 86_400_000;
