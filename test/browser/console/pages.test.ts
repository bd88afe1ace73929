import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { FAILED_REQUEST, fail } from "./support/bad-server.ts";
import { consolePages, expectToFit, loaded, openPage } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { fillWithSamples } from "./support/sample.ts";
import { OWNER, openStage, type Stage } from "./support/stage.ts";

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 360, height: 740 };

/** Every page by name, the one of what is not there last. */
const PAGES = consolePages("").map(({ name }) => name);

describe("every page of the Console", () => {
  let stage: Stage;
  let clientId = "client_0";
  beforeAll(async () => {
    stage = await openStage();
  });
  afterAll(() => stage?.stop());

  const pageNamed = (name: string) => {
    const found = consolePages(clientId).find((page) => page.name === name);
    if (found === undefined) throw new Error(`There is no page ${name}.`);
    return found;
  };

  /** As it is: in light and dark, wide and narrow. */
  const expectInEveryLook = async (page: Page, state: string) => {
    await expectAccessibleInBothSchemes(page, state);
    await page.setViewportSize(NARROW);
    await expectAccessible(page, `${state}, narrow`);
    await expectToFit(page, state);
    await page.setViewportSize(WIDE);
  };

  test.each(PAGES)(
    "%s, with nothing in it yet, can be used by anybody and fits a window 360 pixels wide",
    async (name) => {
      const owner = await stage.owner({ viewport: WIDE });
      await openPage(owner.page, stage.server.url, pageNamed(name));
      await expectInEveryLook(owner.page, `${name} empty`);
      await owner.leave();
    },
  );

  let clients: readonly ApiClient[] = [];
  describe("with something in it", () => {
    beforeAll(async () => {
      const owner = await stage.owner();
      clients = await fillWithSamples(stage.server, owner);
      clientId = clients[0]?.clientId ?? "";
      await owner.leave();
    });

    test.each(PAGES.slice(0, -1))("%s can be used by anybody and fits a window 360 pixels wide", async (name) => {
      const owner = await stage.owner({ viewport: WIDE });
      await openPage(owner.page, stage.server.url, pageNamed(name));
      await expectInEveryLook(owner.page, `${name} full`);
      await owner.leave();
    });

    test("says what an API client called last, what limits it has, and in its form which tools each scope is for", async () => {
      const owner = await stage.owner({ viewport: WIDE });
      const { page } = owner;
      await openPage(page, stage.server.url, pageNamed("api-client"));
      const rows = page.getByRole("table", { name: "Latest calls" }).getByRole("row");
      await expect.poll(() => rows.count()).toBe(6);
      const [, last] = await rows.allTextContents();
      expect(last).toContain("library_addBook");
      expect(last).toContain("Denied");
      await page.getByText("This hour").first().waitFor();
      const limits = page.getByRole("table", { name: "Limits" }).getByRole("row");
      await expect
        .poll(() => limits.allTextContents())
        .toEqual([
          expect.stringContaining("At most"),
          expect.stringMatching(/^notices.*20\/m/),
          expect.stringMatching(/^month.*250000\/month/),
        ]);
      await page.getByRole("button", { name: "Edit" }).click();
      const form = page.getByRole("dialog", { name: "Edit API client" });
      await form.getByText(/^For .*library_searchBooks/).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "All its calls" }).click();
      await page.getByRole("table", { name: "Audit log" }).getByText("library_addBook").first().waitFor();
      await owner.leave();
    });

    test("says beside ids what they are called, and finds records by names", async () => {
      const owner = await stage.owner({ viewport: WIDE });
      const { page } = owner;
      const [, reminders, monitoring] = clients as [ApiClient, ApiClient, ApiClient];
      await openPage(page, stage.server.url, pageNamed("overview"));
      const refusals = page.getByRole("table", { name: "Latest refusals" });
      await refusals.getByText(reminders.name).first().waitFor();
      await refusals.getByText(reminders.clientId).first().waitFor();

      await openPage(page, stage.server.url, pageNamed("audit"));
      const log = page.getByRole("table", { name: "Audit log" });
      await log.getByRole("button", { name: "key_pair.revoked" }).click();
      const record = page.getByRole("dialog", { name: "key_pair.revoked" });
      const { keyPairs } = await request<ApiClient>(stage.server, owner, "GET", `/api-clients/${monitoring.clientId}`);
      for (const text of [
        OWNER.email,
        monitoring.name,
        keyPairs[0]?.fingerprint ?? "?",
        keyPairs[0]?.keyPairId ?? "?",
      ]) {
        await record.getByText(text, { exact: true }).first().waitFor();
      }
      await page.keyboard.press("Escape");
      await record.waitFor({ state: "hidden" });

      await page.getByRole("combobox", { name: "Agent" }).fill(reminders.name.toLowerCase());
      await page.keyboard.press("Enter");
      await page.waitForURL((url) => url.searchParams.get("agent") === reminders.clientId);
      await page.getByRole("search").getByText(reminders.name).waitFor();
      const hasFocus = () =>
        page.getByRole("combobox", { name: "Agent" }).evaluate((field) => field === document.activeElement);
      await expect.poll(hasFocus).toBe(true);
      const records = async () => (await log.getByRole("row").allTextContents()).slice(1);
      const ofAgent = (row: string) => row.includes(reminders.clientId);
      await expect.poll(async () => (await records()).map(ofAgent)).toSatisfy(allOfSome);
      await expectAccessible(page, "audit log of one agent");
      await owner.leave();
    });

    test("says who can call what, narrowed to an answer, and exports it", async () => {
      const owner = await stage.owner({ viewport: WIDE });
      const { page } = owner;
      await openPage(page, stage.server.url, pageNamed("access"));
      const row = page.getByRole("row", { name: /^library_addBook/ });
      await expect.poll(() => row.textContent()).toContain("scope missing: library:write");
      await page.getByLabel("Answer").selectOption("May");
      await expect.poll(() => row.count()).toBe(0);
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export as CSV" }).click();
      expect((await download).suggestedFilename()).toBe("who-can-call-what.csv");
      await owner.leave();
    });

    test("lists API clients newest first or by name, says how many there are, and finds one in one step", async () => {
      const owner = await stage.owner({ viewport: WIDE });
      const { page } = owner;
      for (let number = 10; number < 65; number++) {
        await request(stage.server, owner, "POST", "/api-clients", { name: `Robot ${number}`, scopes: [] });
      }
      await openPage(page, stage.server.url, pageNamed("api-clients"));
      const first = () => page.getByRole("table", { name: "API clients" }).getByRole("rowheader").first().textContent();
      await expect.poll(first).toContain("Robot 64");
      await page.getByText(`50 of ${clients.length + 55} API clients`).waitFor();
      await expectInEveryLook(page, "many API clients");
      await page.getByRole("button", { name: "Load more" }).click();
      await page.getByText(`${clients.length + 55} API clients`, { exact: true }).waitFor();
      await page.getByLabel("Order").selectOption("Name, A to Z");
      await expect.poll(first).toContain("Catalogue import");
      await page.getByLabel("Search API clients").fill("BOT 1");
      await page.getByText("10 API clients found").waitFor();
      await expect.poll(first).toContain("Robot 10");
      expect(new URL(page.url()).search).toBe("?sort=name&search=BOT+1");
      await page.getByLabel("Search API clients").fill("no such");
      await page.getByText("No API client matches").waitFor();
      await expectInEveryLook(page, "a search without matches");
      await owner.leave();
    });
  });

  test("are found with Ctrl+K, as are clients, tools, records and what there is to do", async () => {
    const owner = await stage.owner({ viewport: WIDE });
    const { page } = owner;
    await openPage(page, stage.server.url, pageNamed("organization"));
    const client = clients[1] as ApiClient;
    const field = page.getByRole("combobox", { name: "Search the Console" });
    const found = page.getByRole("listbox", { name: "Found" });
    const search = async (text: string, wanted: string) => {
      await page.keyboard.press("Control+k");
      await field.fill(text);
      await found.getByRole("option").first().getByText(wanted, { exact: true }).waitFor();
    };

    await search("quota", "Limits");
    await expectInEveryLook(page, "search");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/gateway\/limits$/);
    await search(client.name.slice(1).toUpperCase(), client.name);
    await page.keyboard.press("Enter");
    await page.waitForURL(new RegExp(`/api-clients/${client.clientId}$`));
    await search("books search", "library_searchBooks");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/gateway\/tools\/library_searchBooks$/);
    await search("new api", "New API client");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "New API client" }).waitFor();
    await page.keyboard.press("Escape");
    await search(" No such thing ", "Records with “No such thing”");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("q") === "No such thing");
    await search("", "Overview");
    await page.keyboard.press("Escape");
    await field.waitFor({ state: "hidden" });

    await page.setViewportSize(NARROW);
    await page.getByRole("button", { name: "Open the navigation" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Search" }).click();
    await field.fill("stop an");
    await found.getByRole("option", { name: "Stop an agent" }).click();
    await page.waitForURL(/\/stops$/);
    await owner.leave();
  });

  test.each(PAGES.slice(0, -1))(
    "%s: while the server fails, says so with the request's id, and reads again when asked to",
    async (name) => {
      const owner = await stage.owner({ viewport: WIDE });
      const failing = await fail(owner.page, name === "connect" ? SIGN_IN_WAYS : READS);
      await owner.page.goto(stage.server.url + pageNamed(name).path);
      const note = owner.page.getByRole("alert").first();
      await note.getByText(FAILED_REQUEST).waitFor();
      await loaded(owner.page);
      await expectAccessible(owner.page, `${name} failed`);
      await failing.end();
      const retries = owner.page.getByRole("button", { name: "Try again" });
      await retries.evaluateAll((buttons) => buttons.forEach((button) => void (button as HTMLElement).click()));
      await expect.poll(() => owner.page.getByRole("alert").count()).toBe(0);
      await owner.leave();
    },
  );

  test("is reached from the navigation, also on a narrow window, where it is behind a button", async () => {
    const owner = await stage.owner({ viewport: NARROW });
    await openPage(owner.page, stage.server.url, pageNamed("overview"));
    for (const name of [
      "API clients",
      "Audit log",
      "Approvals",
      "Stops",
      "Tools and sessions",
      "Connections",
      "Settings",
      "Organization",
    ]) {
      await owner.page.getByRole("button", { name: "Open the navigation" }).click();
      const link = owner.page.getByRole("dialog").getByRole("link", { name });
      await link.waitFor();
      await expectAccessible(owner.page, "navigation open, narrow");
      const before = await owner.page.getByRole("heading", { level: 1 }).textContent();
      await link.click();
      await owner.page.getByRole("dialog").waitFor({ state: "hidden" });
      await expect.poll(() => owner.page.getByRole("heading", { level: 1 }).textContent()).not.toBe(before);
      await expectToFit(owner.page, name);
    }
    await owner.leave();
  });
});

const allOfSome = (all: readonly boolean[]) => all.length > 0 && all.every(Boolean);

/** What pages read. Who is signed in, and where, stays known. */
/** What there is to read for whoever is not signed in. */
const SIGN_IN_WAYS = /^\/api\/v1\/sign-in$/;
const READS = /^\/api\/v1\/(?!me$|instance$|sign-in)/;
