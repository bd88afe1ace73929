import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../../lib/management/schemas/api-clients.ts";
import type { AuditEvent, AuditEventList } from "../../../lib/management/schemas/audit-events.ts";
import { expectAccessible } from "./support/axe.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { addKeyPair } from "./support/sample.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("the audit log", () => {
  let stage: Stage;
  let owner: Visitor;
  let gone: ApiClient;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ timezoneId: "America/New_York", viewport: { width: 1280, height: 900 } });
    gone = await create("Overdue <b>reminders</b>");
    await addKeyPair(stage.server, owner, gone);
    await request(stage.server, owner, "DELETE", `/api-clients/${gone.clientId}`);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const create = (name: string) =>
    request<ApiClient>(stage.server, owner, "POST", "/api-clients", { name, scopes: ["library:read"], resources: [] });
  const open = async (page: Page, query = "") => {
    await page.goto(`${stage.server.url}/console/audit${query}`);
    await heading(page, "Audit log").waitFor();
    await loaded(page);
  };
  const log = (page: Page) => page.getByRole("table", { name: "Audit log" });
  const recordOf = async (type: string) => {
    const list = await request<AuditEventList>(stage.server, owner, "GET", `/audit-events?type=${type}&limit=1`);
    return list.items[0] as AuditEvent;
  };

  test("finds what is called so, also when it is deleted, and says the time to the second in both zones", async () => {
    const { page } = owner;
    await open(page);
    // Nobody has to press Enter.
    await page.getByLabel("Search", { exact: true }).fill("overdue <B>");
    await page.waitForURL((url) => url.searchParams.get("q") === "overdue <B>");
    await expect.poll(() => typesOf(page)).toEqual(["api_client.deleted", "key_pair.added", "api_client.created"]);
    await expectAccessible(page, "a search of the audit log");
    await shot(page, "audit-search");
    await log(page)
      .getByText(/\d:\d\d:\d\d.* GMT-[45]$/)
      .first()
      .waitFor();
    await page.getByLabel("Time zone").selectOption("UTC");
    await log(page)
      .getByText(/\d:\d\d:\d\d.* UTC$/)
      .first()
      .waitFor();

    await log(page).getByRole("button", { name: "api_client.deleted" }).click();
    const record = page.getByRole("dialog", { name: "api_client.deleted" });
    await record.getByText(gone.name, { exact: true }).waitFor();
    await record.getByText(gone.clientId, { exact: true }).waitFor();
    await expectAccessible(page, "a record of what is gone");
    await shot(page, "audit-record");
    await record.getByRole("button", { name: "All of this request" }).click();
    await record.waitFor({ state: "hidden" });
    await page.waitForURL((url) => url.searchParams.has("requestId") && !url.searchParams.has("record"));
  });

  test("a record has an address, which opens it wherever it lies, and says so where there is none", async () => {
    const { page } = owner;
    const { id } = await recordOf("api_client.created");
    await open(page, `?type=member.added&record=${id}`);
    const record = page.getByRole("dialog", { name: "api_client.created" });
    await record.getByText(id, { exact: true }).waitFor();
    await record.getByRole("button", { name: "Copy link" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.has("record"));
    await open(page, `?record=${id.slice(0, -2)}00`);
    await page.getByRole("dialog").getByText("The record could not be read").waitFor();
    await expectAccessible(page, "a record that is not there");
  });

  test("shows the day before by itself, and leads back from the records of the instance", async () => {
    const { page } = owner;
    await open(page);
    await page.getByLabel("Time", { exact: true }).selectOption("Yesterday");
    await page.getByText("No record matches").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).first().click();
    await page.getByLabel("Records of the instance").check();
    await page.getByText("These are records of the instance", { exact: false }).waitFor();
    await expectAccessible(page, "records of the instance");
    await shot(page, "audit-instance");
    await page.getByRole("button", { name: "Back to your organization's" }).click();
    await log(page).getByRole("button", { name: "api_client.deleted" }).first().waitFor();
    expect(await page.getByLabel("Records of the instance").isChecked()).toBe(false);
  });

  test("an owner stops the agent of a refused call from its record, or from the list", async () => {
    const { page } = owner;
    const refused = {
      ...(await recordOf("api_client.created")),
      type: "tool.invoked",
      outcome: "denied",
      tool: "lend",
    };
    const event = { ...refused, agent: "https://agent.example/c", names: { "https://agent.example/c": "Helper" } };
    await page.route(/audit-events/, (route) => route.fulfill({ json: { items: [event] } }));
    await open(page);
    await shot(page, "audit-denied");
    await expectAccessible(page, "a refused call");
    await log(page).getByRole("button", { name: "Stop the agent Helper" }).click();
    const dialog = page.getByRole("dialog", { name: "Stop this agent?" });
    await dialog.getByText("Helper", { exact: true }).waitFor();
    await shot(page, "audit-stopping");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    await log(page).getByRole("button", { name: "tool.invoked" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop this agent" }).click();
    await dialog.getByText("https://agent.example/c", { exact: true }).waitFor();
    await page.unroute(/audit-events/);
  });

  test("follows: new records come by themselves, until the server fails, and again when it is asked to", async () => {
    const { page } = owner;
    await open(page, "?type=api_client.created");
    await page.getByRole("button", { name: "Follow" }).press("Space");
    expect(await page.getByRole("button", { name: "Follow", pressed: true }).count()).toBe(1);
    const before = (await typesOf(page)).length;
    await create("Followed");
    await expect.poll(() => typesOf(page), { timeout: 15_000 }).toHaveLength(before + 1);
    await expectAccessible(page, "followed records");

    await page.route(/audit-events/, (route) => route.fulfill({ status: 500, body: "" }));
    await page.getByText("Newer records are not looked for").waitFor();
    await expectAccessible(page, "what cannot be followed");
    await shot(page, "audit-not-followed");
    await page.unroute(/audit-events/);
    await create("Followed again");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => typesOf(page)).toHaveLength(before + 2);
    expect(await page.getByText("Newer records are not looked for").count()).toBe(0);
  });

  test("says how far back a search came that ended before it found enough", async () => {
    const { page } = owner;
    const page1 = { items: [], nextCursor: "x", searchedTo: "2026-01-02T03:04:05.000Z" };
    await page.route(/audit-events/, (route) => route.fulfill({ json: page1 }));
    await open(page, "?q=rare&zone=utc");
    await page.getByText(/^Searched back to .*2026, 03:04:05 UTC$/).waitFor();
    await page.getByText("Nothing found so far").waitFor();
    await expectAccessible(page, "a search that ended");
    await page.unroute(/audit-events/);
    await page.getByRole("button", { name: "Search older records" }).click();
    await page.getByText("The audit log could not be read").waitFor();
  });

  test("leads from a call to its trace, and says what took long before it", async () => {
    const { page } = owner;
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const made = { ...(await recordOf("api_client.created")), type: "tool.invoked", tool: "lend", durationMs: 7 };
    const event = { ...made, details: { traceId, decisionMs: "250", credentialMs: "31" } };
    await page.route(/audit-events/, (route) => route.fulfill({ json: { items: [event] } }));
    await page.route(/api\/v1\/instance$/, async (route) => {
      const traceURL = "https://tracing.example/trace/{traceId}?view=calls";
      const body = (await (await route.fetch()).json()) as object;
      await route.fulfill({ json: { ...body, traceURL } });
    });
    await open(page);
    await log(page).getByRole("button", { name: "tool.invoked" }).click();
    const record = page.getByRole("dialog");
    const link = record.getByRole("link", { name: "Open the trace" });
    expect(await link.getAttribute("href")).toBe(`https://tracing.example/trace/${traceId}?view=calls`);
    await record.getByText("250 ms", { exact: true }).waitFor();
    await record.getByText("31 ms", { exact: true }).waitFor();
    expect(await record.getByText("decisionMs").count()).toBe(0);
    await expectAccessible(page, "a record with a trace");
    await shot(page, "audit-trace");
    await page.unroute(/audit-events/);
    await page.unroute(/api\/v1\/instance$/);
  });

  test("fits a telephone", async () => {
    const { page } = owner;
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, "?zone=utc");
    await expectToFit(page, "audit log, narrow");
    await shot(page, "audit-narrow");
    await log(page).getByRole("button", { name: "api_client.deleted" }).first().click();
    await page.getByRole("dialog").getByText(gone.name, { exact: true }).waitFor();
    await expectToFit(page, "a record, narrow");
  });

  test("says how many records there are, and when there may be more", async () => {
    const { page } = owner;
    await page.setViewportSize({ width: 1280, height: 900 });
    for (let number = 0; number < 50; number++) await create(`Counted ${number}`);
    const counted = "/audit-events?type=api_client.created&limit=1&total=true";
    const { total } = await request<AuditEventList>(stage.server, owner, "GET", counted);
    await open(page, "?type=api_client.created");
    await page.getByText(`50 of ${total?.count} records`, { exact: true }).waitFor();
    await page.getByRole("button", { name: "Load more" }).click();
    await page.getByText(`${total?.count} records`, { exact: true }).waitFor();
    const many = {
      items: [await recordOf("api_client.created")],
      nextCursor: "x",
      total: { count: 10_000, isExact: false },
    };
    await page.route(/audit-events/, (route) => route.fulfill({ json: many }));
    await open(page);
    await page.getByText("1 of 10,000+ records", { exact: true }).waitFor();
    await expectAccessible(page, "an audit log with very many records");
    await shot(page, "audit-many");
    await page.unroute(/audit-events/);
  });

  async function typesOf(page: Page): Promise<readonly string[]> {
    return log(page).getByRole("rowheader").allTextContents();
  }
});
