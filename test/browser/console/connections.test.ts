import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ConnectionPage } from "../../../lib/management/schemas/connections.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { fail } from "./support/bad-server.ts";
import { AGENT, connectPeople } from "./support/connections.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { request } from "./support/requests.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

describe("connections", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: WIDE });
    await connectPeople(stage.server, owner);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const open = async (page: Page) => {
    await page.goto(`${stage.server.url}/console/connections`);
    await heading(page, "Connections").waitFor();
    await loaded(page);
  };
  const list = async (query = "") =>
    (await request<ConnectionPage>(stage.server, owner, "GET", `/connections${query}`)).items;

  test("shows the owner their own, and apart from them everybody's", async () => {
    const { page } = owner;
    await open(page);
    const rows = (table: string) => page.getByRole("table", { name: table }).getByRole("row").allTextContents();
    const own = (await rows("Your connections")).slice(1);
    expect(own.map((row) => row.slice(0, 7))).toEqual(["tickets"]);
    expect(own[0]).toContain("ada-lovelace");
    expect((await rows("Everybody's connections")).slice(1)).toHaveLength(3);
    await page.getByText("The next call has the link.").waitFor();
    await page.getByText("The provider did not answer.").waitFor();
    await page.getByText(`for ${AGENT} alone`).waitFor();
    await expectAccessibleInBothSchemes(page, "connections");
    await page.setViewportSize({ width: 360, height: 740 });
    await expectToFit(page, "connections, narrow");
    await expectAccessible(page, "connections, narrow");
    await page.setViewportSize(WIDE);
  });

  test("asks before it disconnects, keeps the connection where that is cancelled, and says so where it failed", async () => {
    const { page } = owner;
    await open(page);
    const own = page.getByRole("table", { name: "Your connections" });
    await own.getByRole("button", { name: "Disconnect tickets from ada-lovelace" }).click();
    const dialog = page.getByRole("dialog", { name: "Disconnect this account?" });
    await dialog.getByText("The provider is not told.", { exact: false }).waitFor();
    await expectAccessible(page, "disconnecting");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "hidden" });
    expect(await list()).toHaveLength(1);

    await own.getByRole("button", { name: "Disconnect tickets from ada-lovelace" }).click();
    const failing = await fail(page, /^\/api\/v1\/connections\//);
    await dialog.getByRole("button", { name: "Disconnect" }).click();
    await dialog.getByText("The account was not disconnected").waitFor();
    await failing.end();
    await dialog.getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("You have no connections").waitFor();
    expect(await list()).toEqual([]);
  });

  test("lets an owner disconnect somebody else's, also one of an agent alone", async () => {
    const { page } = owner;
    await open(page);
    const all = page.getByRole("table", { name: "Everybody's connections" });
    await all.getByRole("button", { name: "Disconnect wiki from grace" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click();
    await all.getByText("wiki").waitFor({ state: "hidden" });
    expect((await list("?everyone=true")).map(({ app }) => app)).toEqual(["calendar"]);
  });

  test("reads on where a page is empty and not the last, and says nothing is there only after the last", async () => {
    const { page } = owner;
    const [item] = await list("?everyone=true");
    const asked: (string | null)[] = [];
    const isEveryones = (url: URL) => url.pathname === "/api/v1/connections" && url.searchParams.has("everyone");
    await page.route(isEveryones, (route) => {
      const cursor = new URL(route.request().url()).searchParams.get("cursor");
      asked.push(cursor);
      return route.fulfill({ json: PAGES(item)[cursor ?? "first"] });
    });
    await open(page);
    const all = page.getByRole("table", { name: "Everybody's connections" });
    await all.getByRole("row").nth(1).waitFor();
    expect(asked).toEqual([null, "a", "b"]);
    await page.getByRole("button", { name: "Load more" }).click();
    await expect.poll(() => all.getByRole("row").count()).toBe(3);
    expect(asked).toEqual([null, "a", "b", "c", "d"]);
    expect(await page.getByRole("button", { name: "Load more" }).count()).toBe(0);
    await page.unroute(isEveryones);
  });
});

const WIDE = { width: 1200, height: 800 };

/** By cursor. */
const PAGES = (item: object | undefined): Readonly<Record<string, object>> => ({
  first: { items: [], nextCursor: "a" },
  a: { items: [], nextCursor: "b" },
  b: { items: [item], nextCursor: "c" },
  c: { items: [], nextCursor: "d" },
  d: { items: [{ ...item, connectionId: "connection_2" }] },
});
