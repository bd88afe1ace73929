import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { AuditEventList } from "../../../lib/management/schemas/audit-events.ts";
import type { Trial } from "../../../lib/management/schemas/tools.ts";
import { withKeyboard } from "./support/hands.ts";
import { inEveryLook } from "./support/looks.ts";
import { loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const WIDE = { width: 1200, height: 800 };
const TOOL = "library_addBook";

/** Makes the call that is refused. */
async function call({ url, accessToken }: Trial): Promise<void> {
  const requestInit = { headers: { Authorization: `Bearer ${accessToken}` } };
  const client = new Client({ name: "an-agent", version: "1" });
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
    await client.callTool({ name: TOOL, arguments: {} });
  } finally {
    await client.close();
  }
}

describe("why a call is denied", () => {
  let stage: Stage;
  let owner: Visitor;
  let reader: ApiClient;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: WIDE });
    const body = { name: "reader", scopes: ["library:read"], resources: [`${stage.server.url}/mcp`] };
    reader = await request<ApiClient>(stage.server, owner, "POST", "/api-clients", body);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const steps = (page: Page) => page.getByRole("table", { name: "Steps of the decision" });
  const decision = (page: Page) => page.getByRole("region", { name: "The decision" }).textContent();

  test("with the keyboard alone: an owner chooses who calls what, and the address holds it", async () => {
    const { page } = owner;
    const hands = withKeyboard(page);
    await page.goto(`${stage.server.url}/console/`);
    await heading(page, "Overview").waitFor();
    await hands.press(page.getByRole("link", { name: "Why?" }));
    await heading(page, "Why?").waitFor();
    await page
      .getByLabel("API client", { exact: true })
      .getByRole("option", { name: "reader" })
      .waitFor({ state: "attached" });
    await hands.press(page.getByRole("button", { name: "Explain" }));
    await page.getByText("Name a tool.").waitFor();
    await hands.write(page.getByLabel("Tool"), TOOL);
    await hands.write(page.getByLabel("Arguments"), "[]");
    await hands.press(page.getByRole("button", { name: "Explain" }));
    await page.getByText("This is not one JSON object.").waitFor();
    await hands.write(page.getByLabel("Arguments"), '{"title": "Silas Marner", "author": "George Eliot", "copies": 1}');
    await hands.press(page.getByRole("button", { name: "Explain" }));
    await page.getByText("The call would be denied.").waitFor();
    expect(await decision(page)).toContain("the token lacks library:write");
    expect(await steps(page).textContent()).toContain("needs library:write");
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).toEqual({ tool: TOOL, client: reader.clientId });
    await inEveryLook(page, "why");
    await page.reload();
    await page.getByText("The call would be denied.").waitFor();
    expect(await page.getByLabel("Tool").inputValue()).toBe(TOOL);
  });

  test("whoever a token names is written as claims, which are in no address", async () => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/why`);
    await page.getByLabel("Caller").selectOption("Whoever a token names");
    await page.getByLabel("Tool").fill(TOOL);
    await page.getByLabel("Claims of the token").fill("{");
    await page.getByRole("button", { name: "Explain" }).click();
    await page.getByText("This is not one JSON object.").waitFor();
    const claims = { client_id: "an-agent", sub: "ada", scope: "library:read library:write" };
    await page.getByLabel("Claims of the token").fill(JSON.stringify(claims));
    await page.getByRole("button", { name: "Explain" }).click();
    await steps(page).waitFor();
    expect(await steps(page).textContent()).toContain("agent an-agent for ada");
    expect(page.url()).not.toContain("ada");
  });

  test("a record of a refused call says what was missing, leads to the tool, and to the steps in one click", async () => {
    const { page } = owner;
    const { server } = stage;
    const trial = await request<Trial>(server, owner, "POST", `/tools/${TOOL}/trials`, { clientId: reader.clientId });
    await expect(call(trial)).rejects.toThrow();
    const denied = async () =>
      (await request<AuditEventList>(server, owner, "GET", "/audit-events?outcome=denied")).items[0];
    await expect.poll(denied).toMatchObject({ tool: TOOL, reason: "insufficient_scope" });
    await page.goto(`${server.url}/console/audit?record=${(await denied())?.id}`);
    await loaded(page);
    const record = page.getByRole("dialog");
    await record.getByText("The token lacked scopes that the tool needs:").waitFor();
    await record.getByText("library:write", { exact: true }).first().waitFor();
    expect(await record.getByRole("link", { name: TOOL }).getAttribute("href")).toBe(`/console/gateway/tools/${TOOL}`);
    await inEveryLook(page, "why-record");
    await record.getByRole("link", { name: "Explain this decision" }).click();
    await heading(page, "Why?").waitFor();
    await page.getByText("The call would be denied.").waitFor();
    expect(await decision(page)).toContain("the token lacks library:write");
    expect(await page.getByLabel("Client ID").inputValue()).toBe(reader.clientId);
    expect(await page.getByLabel("Scopes of the token").inputValue()).toBe("library:read");
    await inEveryLook(page, "why-from-record");
  });
});
