import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { openEmbeddedStore } from "../../../infra/node/sqlite/embedded-store.ts";
import { systemClock } from "../../../lib/kernel/clock.ts";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { node } from "../../runtimes/node.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { expectAccessibleInBothSchemes } from "./support/axe.ts";
import { linkAccount } from "./support/connections.ts";
import { withKeyboard } from "./support/hands.ts";
import { inEveryLook, shot } from "./support/looks.ts";
import { loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const WIDE = { width: 1200, height: 800 };

describe("trying a tool", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage(WITH_GONE);
    owner = await stage.owner({ viewport: WIDE });
    const resources = [`${stage.server.url}/mcp`];
    for (const [name, scopes] of Object.entries(CLIENTS)) {
      await request<ApiClient>(stage.server, owner, "POST", "/api-clients", { name, scopes, resources });
    }
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const open = async (tool: string): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/tools/${tool}`);
    await heading(page, tool).waitFor();
    await loaded(page);
    return page;
  };

  test("with the keyboard alone: the page says what a tool takes, checks it, tells the decision, calls it, and records a trial", async () => {
    const { page } = owner;
    const hands = withKeyboard(page);
    await page.goto(`${stage.server.url}/console/gateway`);
    await hands.press(page.getByRole("button", { name: "library_searchBooks" }));
    await hands.press(page.getByRole("link", { name: "Its page: arguments, answer, Try it" }));
    await heading(page, "library_searchBooks").waitFor();
    await loaded(page);
    const rows = await page.getByRole("table", { name: "Arguments" }).getByRole("row").allTextContents();
    expect(rows.find((row) => row.startsWith("limit"))).toContain("at least 1; at most 50; by default 10");
    await page.getByRole("table", { name: "Answer" }).getByText("books[].title").waitFor();
    await page.getByRole("region", { name: "Calls" }).getByText("library:read").waitFor();

    await inEveryLook(page, "tool");
    // The owner has linked no account: they begin with what works.
    expect(await page.getByRole("radio", { name: "As an API client" }).isChecked()).toBe(true);
    await page.getByLabel("API client", { exact: true }).selectOption("reader");
    await hands.write(page.getByLabel("query"), "George Eliot");
    await hands.write(page.getByLabel("limit"), "0");
    await hands.press(page.getByRole("button", { name: "Check" }));
    await page.getByText("One argument is not right yet.").waitFor();
    expect(await page.getByLabel("limit").getAttribute("aria-invalid")).toBe("true");
    await hands.write(page.getByLabel("limit"), "3");
    await hands.press(page.getByRole("button", { name: "Check" }));
    const decision = page.getByRole("region", { name: "Decision" });
    await decision.waitFor();
    await expect.poll(() => decision.textContent()).toContain("The call would be allowed.");
    await page.getByRole("table", { name: "Steps of the decision" }).waitFor();
    await hands.press(page.getByRole("button", { name: "Call", exact: true }));
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("Answered").waitFor();
    expect(await result.getByRole("region", { name: "Structured content" }).textContent()).toContain('"total":');
    await inEveryLook(page, "tool-called");
    await hands.press(result.getByRole("link", { name: "See the records" }));
    const record = page.getByRole("row").filter({ hasText: "tool.invoked" }).first();
    await record.getByText("Trial").waitFor();
    await record.getByText("tried by").waitFor();
    await shot(page, "tool-records");
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toContain(
      "cst_",
    );
  });

  test("arguments are written as JSON as well, and what the token lacks is told before the call and by the gateway", async () => {
    const page = await open("library_addBook");
    await page.getByLabel("API client", { exact: true }).selectOption("reader");
    await page.getByText("JSON", { exact: true }).click();
    await page.getByRole("textbox", { name: "Arguments" }).fill("{}");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("It is required.").first().waitFor();
    await page.getByText("Form", { exact: true }).click();
    await page.getByText("JSON", { exact: true }).click();
    await page.getByRole("textbox", { name: "Arguments" }).fill(BOOK);
    await page.getByRole("button", { name: "Check" }).click();
    await expect
      .poll(() => page.getByRole("region", { name: "Decision" }).textContent())
      .toContain("The call would be denied.");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("The token lacks a scope. The tool needs: library:write").waitFor();
    await inEveryLook(page, "tool-refused");
  });

  test("who has linked no account is told why they cannot call as themselves, until they call as somebody else", async () => {
    const page = await open("library_searchBooks");
    await page.getByText("As yourself").click();
    await page
      .getByText("An agent acts for you with an account that you have linked, and you have linked none.")
      .waitFor();
    await page.getByRole("button", { name: "Check" }).click();
    const refused = page.getByText("You have linked no account with which an agent could act for you here.");
    await refused.waitFor();
    await shot(page, "tool-nobody");
    await page.getByText("As an API client", { exact: true }).click();
    await refused.waitFor({ state: "detached" });
  });

  test("tools of MCP servers are listed as an API client sees them, and the page says with which credentials and what is missing", async () => {
    const { page } = owner;
    const hands = withKeyboard(page);
    await page.goto(`${stage.server.url}/console/gateway`);
    const panel = page.getByRole("region", { name: "Tools of MCP servers" });
    await panel.getByLabel("API client", { exact: true }).selectOption("poster");
    await inEveryLook(page, "server-tools-unread");
    await hands.press(panel.getByRole("button", { name: "Read the list" }));
    await panel.getByText(/^Read as poster/).waitFor();
    const credentials = await panel
      .getByRole("list", { name: "Credentials that the list was read with" })
      .getByRole("listitem")
      .allTextContents();
    expect(credentials).toEqual([
      "board was asked with a token in exchange for the caller's, issued by this instance.",
      "gone was asked without a credential.",
    ]);
    await panel.getByText(/^The tools of gone are not known now: the MCP server did not list them\./).waitFor();
    const rows = await panel.getByRole("table").getByRole("row").allTextContents();
    expect(rows.some((row) => row.startsWith("board_postNotice"))).toBe(true);
    expect(rows.some((row) => row.includes("library_"))).toBe(false);
    await inEveryLook(page, "server-tools");

    await hands.press(panel.getByRole("link", { name: "board_postNotice" }));
    await heading(page, "board_postNotice").waitFor();
    // What was read is there, without another token.
    await page.getByText(/^Read as poster/).waitFor();
    await page.getByRole("table", { name: "Arguments" }).getByText("text", { exact: true }).waitFor();
    const calls = page.getByRole("region", { name: "Calls" });
    for (const words of ["board:write", "cel", "Anybody who signs in", "Exchanged for the caller's"])
      await calls.getByText(words, { exact: true }).first().waitFor();
    await page.getByText("You call as poster, as whom the list was read.").waitFor();
    await hands.write(page.getByLabel("text"), "A notice from the Console.");
    await hands.press(page.getByRole("button", { name: "Check" }));
    const decision = page.getByRole("region", { name: "Decision" });
    await expect.poll(() => decision.textContent()).toContain("The call would be allowed.");
    await hands.press(page.getByRole("button", { name: "Call", exact: true }));
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("Answered").waitFor();
    await inEveryLook(page, "server-tool-called");
    await hands.press(result.getByRole("link", { name: "See the records" }));
    await page.getByRole("row").filter({ hasText: "tool.invoked" }).first().getByText("Trial").waitFor();
  });

  test("a tool of an MCP server has its rules before anybody asks the server, and what the caller's token lacks is told", async () => {
    const page = await open("board_postNotice");
    await page.getByRole("region", { name: "Calls" }).getByText("board:write").waitFor();
    expect(await page.getByRole("heading", { name: "Try it" }).count()).toBe(0);
    await inEveryLook(page, "server-tool-unread");
    await page.getByLabel("API client", { exact: true }).selectOption("reader");
    await page.getByRole("button", { name: "Read the list" }).click();
    await page.getByLabel("text").fill("A notice.");
    await page.getByRole("button", { name: "Check" }).click();
    const decision = page.getByRole("region", { name: "Decision" });
    await expect.poll(() => decision.textContent()).toContain("The call would be denied.");
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByText("The token lacks a scope. The tool needs: board:write").waitFor();
  });

  test("a tool that its server does not list for the caller is told", async () => {
    const page = await open("board_nothing");
    await page.getByRole("button", { name: "Read the list" }).click();
    await page.getByText("It is not in this list").waitFor();
    await inEveryLook(page, "server-tool-not-listed");
  });

  test("who has linked an account reads the list as themselves, and only after they choose so as a client", async () => {
    const { server } = stage;
    const store = openEmbeddedStore(server.store, systemClock);
    await linkAccount(store.stores, server, owner, { connector: "corp", issuer: server.provider.issuer });
    await store.close();
    const page = await open("board_listNotices");
    expect(await page.getByRole("radio", { name: "As yourself" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Read the list" }).click();
    await page.getByText(/^Read as yourself/).waitFor();
    await page.getByText("You call as yourself, as whom the list was read.").waitFor();
    await page.getByText("As an API client", { exact: true }).click();
    await page.getByText("You call as yourself, as whom the list was read.").waitFor({ state: "detached" });
    await page.getByText("As yourself", { exact: true }).click();
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByRole("button", { name: "Call", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText("Answered").waitFor();
  });

  test("a tool that there is not is told", async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/tools/nothing`);
    await page.getByText("There is no such tool").waitFor();
    await expectAccessibleInBothSchemes(page, "no such tool");
  });
});

const CLIENTS = { reader: ["library:read"], nobody: [], poster: ["board:read", "board:write"] };

/** Nothing answers there. */
const GONE = {
  name: "gone",
  type: "mcpProxy",
  upstream: { stream: { url: "http://127.0.0.1:9/mcp" } },
  authorization: { outbound: { type: "unprotected" } },
};

const BOOK = JSON.stringify({ title: "Silas Marner", author: "George Eliot", copies: 1 });

/** The quickstart's gateway, and an app behind which nothing is. */
const WITH_GONE: RuntimeUnderTest = {
  ...node,
  start: (options) => {
    const document = parse(options.configuration);
    return node.start({ ...options, configuration: stringify({ ...document, apps: [...document.apps, GONE] }) });
  },
};
