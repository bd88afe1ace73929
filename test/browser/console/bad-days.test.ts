import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectAccessible } from "./support/axe.ts";
import { hold } from "./support/bad-server.ts";
import { consolePages, loaded, openPage } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { endSession, heading, OWNER, openStage, type Stage, signedInAnew } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("on bad days", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await openStage();
    const owner = await stage.owner();
    const reader = { name: "reader", scopes: ["library:read"], resources: [`${stage.server.url}/mcp`] };
    await request(stage.server, owner, "POST", "/api-clients", reader);
    await owner.leave();
  });
  afterAll(() => stage?.stop());

  const open = async (visitor: Visitor, name: string) => {
    const page = consolePages("").find((one) => one.name === name);
    if (page === undefined) throw new Error(`There is no page ${name}.`);
    await openPage(visitor.page, stage.server.url, page);
  };

  const sessionIsOver = (visitor: Visitor) => visitor.page.getByRole("dialog", { name: "Sign in again" });

  test("a slow server shows that something is on its way", async () => {
    const owner = await stage.owner();
    const overview = await hold(owner.page, "GET", "/api/v1/overview");
    await owner.page.goto(`${stage.server.url}/console/`);
    await owner.page.getByRole("main").getByRole("status", { name: "Loading" }).waitFor();
    await expectAccessible(owner.page, "loading");
    await overview.release();
    await heading(owner.page, "Overview").waitFor();
    await owner.page.getByText("Latest refusals").waitFor();
    await owner.leave();
  });

  test.each([
    ["do not arrive", (page: Page) => page.route(/\/chart-canvas[^/]*\.js$/, (route) => route.abort())],
    // What Chromium says of itself on a machine without a language. uPlot cannot be loaded then.
    [
      "know no such language",
      (page: Page) =>
        page.addInitScript(() => Object.defineProperty(navigator, "language", { get: () => "en-US@posix" })),
    ],
  ])("charts that %s leave their numbers, and the page as it is", async (_why, harm) => {
    const owner = await stage.owner();
    await harm(owner.page);
    await owner.page.goto(`${stage.server.url}/console/`);
    await heading(owner.page, "Overview").waitFor();
    await owner.page.getByText("The chart cannot be shown here.").first().waitFor();
    await owner.page.getByRole("table", { name: /^Tool calls/ }).waitFor();
    await owner.page.getByText("Latest refusals").waitFor();
    await expectAccessible(owner.page, "charts failed");
    await owner.leave(/dynamically imported module|Invalid language tag/);
  });

  test.each(BAD_DAYS)("$page: slow, then without a server, and when it is back", async ({ path, open, ...day }) => {
    const owner = await stage.owner();
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/${path}`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await loaded(page);
    await open?.(page);
    const held = await hold(page, day.method, `/api/v1${day.asks}`);
    await day.ask(page);
    await day.waits(page).waitFor();
    await expect.poll(() => held.count()).toBeGreaterThan(0);
    await held.drop();
    await page.getByRole("alert").getByText("The server cannot be reached.").first().waitFor();
    await expectAccessible(page, `${path} without a server`);
    await held.release();
    await day.again(page);
    await day.done(page).waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await owner.leave();
  });

  test("a session that ends while somebody searches is renewed in place, and the search goes on", async () => {
    const owner = await signedInAnew(stage);
    await open(owner, "audit");
    await endSession(stage, owner);
    await owner.page.getByLabel("Agent").fill("nobody-has-this-name");
    await owner.page.keyboard.press("Enter");
    await sessionIsOver(owner).waitFor();
    await expectAccessible(owner.page, "session over");
    await sessionIsOver(owner).getByRole("button", { name: "Sign in with a passkey" }).click();
    await sessionIsOver(owner).waitFor({ state: "hidden" });
    await owner.page.getByText("No record matches").waitFor();
    expect(await owner.page.getByLabel("Agent").inputValue()).toBe("nobody-has-this-name");
    await owner.leave();
  });

  test("a session that ends is renewed in another tab, too", async () => {
    const owner = await signedInAnew(stage);
    await open(owner, "audit");
    await endSession(stage, owner);
    await owner.page.getByLabel("Agent").fill("nobody-has-this-name");
    await owner.page.keyboard.press("Enter");
    await sessionIsOver(owner).waitFor();
    const other = await signedInAnew(stage);
    await owner.context.addCookies(await other.context.cookies());
    await sessionIsOver(owner).getByRole("button", { name: "I am signed in again" }).click();
    await owner.page.getByText("No record matches").waitFor();
    await other.leave();
    await owner.leave();
  });

  test("whoever is not signed in sees nothing of anybody", async () => {
    const stranger = await stage.stranger();
    for (const { name, path } of consolePages("client_0")) {
      // For everybody.
      if (name === "connect") continue;
      await stranger.page.goto(stage.server.url + path);
      await stranger.page.getByRole("heading", { level: 1, name: /Sign in|not found|no such/i }).waitFor();
      expect(await stranger.page.locator("body").textContent()).not.toContain(OWNER.organization);
    }
    await stranger.leave();
  });
});

/** What somebody asks of a page. What they have typed is there still when they ask again. */
interface BadDay {
  readonly page: string;
  /** Below `/console/`. */
  readonly path: string;
  readonly open?: (page: Page) => Promise<void>;
  readonly method: "GET" | "POST";
  readonly asks: string;
  readonly ask: (page: Page) => Promise<void>;
  /** What says that the answer is on its way. */
  readonly waits: (page: Page) => Locator;
  readonly again: (page: Page) => Promise<void>;
  readonly done: (page: Page) => Locator;
}

const TOOL = "library_searchBooks";
const isLoading = (page: Page) => page.getByRole("main").getByRole("status", { name: "Loading" }).first();
const isBusy = (name: string) => (page: Page) => page.locator("button[data-loading]").filter({ hasText: name });
const goTo = (name: string) => (page: Page) => page.getByRole("link", { name, exact: true }).first().click();
const press = (name: string) => (page: Page) => page.getByRole("button", { name, exact: true }).click();
const tryAgain = press("Try again");

const BAD_DAYS: readonly BadDay[] = [
  {
    ...{ page: "the charts of another time", path: "", method: "GET", asks: "/overview" },
    ask: (page) => page.getByText("7 days", { exact: true }).click(),
    waits: (page) => page.getByRole("status", { name: "Loading" }).first(),
    again: tryAgain,
    done: (page) => page.getByRole("table", { name: /^Tool calls in the last 7 days/ }),
  },
  {
    ...{ page: "why", path: "why", method: "POST", asks: "/explanations" },
    ask: async (page) => {
      await page.getByLabel("Tool").fill(TOOL);
      await page.getByLabel("Arguments").fill('{"query": "sea"}');
      await press("Explain")(page);
    },
    waits: isBusy("Explain"),
    again: async (page) => {
      expect(await page.getByLabel("Arguments").inputValue()).toBe('{"query": "sea"}');
      await press("Explain")(page);
    },
    done: (page) => page.getByText("The call would be allowed."),
  },
  {
    ...{ page: "trying a tool", path: `gateway/tools/${TOOL}`, method: "POST", asks: `/tools/${TOOL}/trials` },
    ask: async (page) => {
      await page.getByText("JSON", { exact: true }).click();
      await page.getByRole("textbox", { name: "Arguments" }).fill('{"query": "sea"}');
      await press("Check")(page);
    },
    waits: isBusy("Check"),
    again: async (page) => {
      expect(await page.getByRole("textbox", { name: "Arguments" }).inputValue()).toBe('{"query": "sea"}');
      await press("Check")(page);
    },
    done: (page) => page.getByText("The call would be allowed."),
  },
  {
    ...{ page: "the search", path: "stops", method: "GET", asks: "/api-clients" },
    open: (page) => page.keyboard.press("ControlOrMeta+k"),
    ask: (page) => page.getByRole("combobox", { name: "Search the Console" }).fill("reader"),
    waits: (page) => page.getByText("API clients are searched…"),
    again: async (page) => {
      expect(await page.getByRole("combobox", { name: "Search the Console" }).inputValue()).toBe("reader");
      await tryAgain(page);
    },
    done: (page) => page.getByRole("group", { name: "API clients" }).getByRole("option", { name: /reader/ }),
  },
  {
    ...{ page: "the audit log", path: "audit", method: "GET", asks: "/audit-events" },
    ask: async (page) => {
      await page.getByLabel("Agent").fill("nobody-has-this-name");
      await page.keyboard.press("Enter");
    },
    waits: isLoading,
    again: async (page) => {
      expect(await page.getByLabel("Agent").inputValue()).toBe("nobody-has-this-name");
      await tryAgain(page);
    },
    done: (page) => page.getByText("No record matches"),
  },
  {
    ...{ page: "who can call what", path: "stops", method: "GET", asks: "/tools" },
    ask: goTo("Who can call what"),
    waits: isLoading,
    again: tryAgain,
    done: (page) => page.getByRole("main").getByText("reader").first(),
  },
  {
    ...{ page: "connected agents", path: "stops", method: "GET", asks: "/connected-agents" },
    ask: goTo("Connected agents"),
    waits: isLoading,
    again: tryAgain,
    done: (page) => page.getByText("Nobody has connected an agent"),
  },
  {
    ...{ page: "tools", path: "stops", method: "GET", asks: "/tools" },
    ask: goTo("Tools and sessions"),
    waits: isLoading,
    again: tryAgain,
    done: (page) => page.getByRole("button", { name: TOOL }),
  },
];
