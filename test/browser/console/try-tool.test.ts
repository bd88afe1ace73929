import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import { node } from "../../runtimes/node.ts";
import type { RuntimeUnderTest } from "../../support/runtime.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { withKeyboard } from "./support/hands.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 360, height: 740 };

describe("trying a tool", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage(published());
    owner = await stage.owner({ viewport: WIDE });
    await owner.page.route("**/api/v1/deployment/document?**", async (route) => {
      const answer = await route.fetch();
      const values = { ...variables, PUBLIC_URL: stage.server.url, LISTEN_ADDRESS: "localhost:8080", REGION: "us" };
      const document = Object.entries(values).reduce(
        (text, [name, value]) => text.replaceAll(`{{ env.${name} }}`, value),
        await answer.text(),
      );
      await route.fulfill({ response: answer, body: document });
    });
    const resources = [`${stage.server.url}/mcp`];
    for (const [name, scopes] of Object.entries({ reader: ["library:read"], nobody: [] })) {
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
  const shot = async (page: Page, name: string) => {
    if (process.env.SHOTS) await page.screenshot({ path: join(process.env.SHOTS, `${name}.png`), fullPage: true });
  };
  const inEveryLook = async (page: Page, state: string) => {
    await expectAccessibleInBothSchemes(page, state);
    await shot(page, state);
    await page.setViewportSize(NARROW);
    await expectAccessible(page, `${state}, narrow`);
    await expectToFit(page, state);
    await shot(page, `${state}-narrow`);
    await page.setViewportSize(WIDE);
  };

  test("with the keyboard alone: the page says what a tool takes, checks it, tells the decision, calls it, and records a trial", async () => {
    const { page } = owner;
    const hands = withKeyboard(page);
    await page.goto(`${stage.server.url}/console/gateway`);
    await hands.press(page.getByRole("button", { name: "library_searchBooks" }));
    await hands.press(page.getByRole("link", { name: "Its arguments and answer, and a call of it" }));
    await heading(page, "library_searchBooks").waitFor();
    await loaded(page);
    const rows = await page.getByRole("table", { name: "Arguments" }).getByRole("row").allTextContents();
    expect(rows.find((row) => row.startsWith("limit"))).toContain("at least 1; at most 50; by default 10");
    await page.getByRole("table", { name: "Answer" }).getByText("books[].title").waitFor();
    await page.getByRole("region", { name: "Calls" }).getByText("library:read").waitFor();

    await inEveryLook(page, "tool");
    await page.getByRole("radio", { name: "As an API client" }).focus();
    await page.keyboard.press("Space");
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
    await page.getByText("As an API client").click();
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

  test("who has linked no account is told why they cannot call as themselves", async () => {
    const page = await open("library_searchBooks");
    await page.getByRole("button", { name: "Check" }).click();
    await page.getByText("You have linked no account with which an agent could act for you here.").waitFor();
    await shot(page, "tool-nobody");
  });

  test("a tool that there is not is told", async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/gateway/tools/nothing`);
    await page.getByText("There is no such tool").waitFor();
    await expectAccessibleInBothSchemes(page, "no such tool");
  });
});

const BOOK = JSON.stringify({ title: "Silas Marner", author: "George Eliot", copies: 1 });

/** Those of the instance, which no browser knows: the configuration that the page reads has them in place. */
let variables: Readonly<Record<string, string>> = {};

/** The quickstart's gateway, whose configuration owners may read. */
function published(): RuntimeUnderTest {
  return {
    ...node,
    start: (options) => {
      variables = (options.variables ?? {}) as typeof variables;
      return node.start({
        ...options,
        configuration: stringify(
          parse(options.configuration.replace("unused within one process", "<countersign.id-secret>")),
        ),
        variables: {
          ...options.variables,
          SVC_CONFIG_SOURCE: "store:",
          SVC_CONFIG_DEPLOYMENT: "production",
          SVC_CONFIG_SIGNING: "service",
        },
      });
    },
  };
}
