import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Overview } from "../../../lib/management/schemas/overview.ts";
import { expectAccessible, expectAccessibleInBothSchemes } from "./support/axe.ts";
import { shot } from "./support/looks.ts";
import { expectToFit, loaded } from "./support/pages.ts";
import { fillWithSamples } from "./support/sample.ts";
import { heading, openStage, type Stage } from "./support/stage.ts";
import type { Visitor } from "./support/visitor.ts";

const WIDE = { width: 1200, height: 800 };
const NARROW = { width: 360, height: 740 };
const HOUR = 3_600_000;

describe("the overview", () => {
  let stage: Stage;
  let owner: Visitor;
  beforeAll(async () => {
    stage = await openStage();
    owner = await stage.owner({ viewport: WIDE });
    await fillWithSamples(stage.server, owner);
  });
  afterAll(async () => {
    await owner?.leave();
    await stage?.stop();
  });

  const open = async (query = ""): Promise<Page> => {
    const { page } = owner;
    await page.goto(`${stage.server.url}/console/${query}`);
    await heading(page, "Overview").waitFor();
    await loaded(page);
    return page;
  };
  const drawn = (page: Page) => page.locator("canvas").nth(1).waitFor();

  test("has a choice of the time in its address, and tells calls that were denied from those that failed", async () => {
    const page = await open();
    await drawn(page);
    await shot(page, "overview-1h");
    await page.getByText("24 hours", { exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get("range") === "24h");
    await page.getByRole("table", { name: /^Tool calls in the last 24 hours/ }).waitFor();
    await page.reload();
    expect(await page.getByRole("radio", { name: "24 hours" }).isChecked()).toBe(true);
    const calls = page.getByRole("table", { name: /^Tool calls in the last 24 hours/ });
    await calls.waitFor();
    expect((await calls.getByRole("columnheader").allTextContents()).slice(1)).toEqual([
      "Succeeded",
      "Denied",
      "Failed",
    ]);
    const newest = (await calls.getByRole("row").nth(1).getByRole("cell").allTextContents()).map(Number);
    const older = (await calls.getByRole("row").nth(2).getByRole("cell").allTextContents()).map(Number);
    const [succeeded, denied, failed] = newest.map((count, index) => count + (older[index] ?? 0)) as [
      number,
      number,
      number,
    ];
    expect([succeeded > 0, denied > 0, failed > 0]).toEqual([true, true, true]);
  });

  test("shows the numbers of a chart as a table to everybody who wants them", async () => {
    const page = await open("?range=24h");
    const panel = page.getByRole("region", { name: "Tool calls" });
    await panel.getByRole("button", { name: "Show as table" }).press("Enter");
    await panel.getByRole("button", { name: "Show as chart" }).waitFor();
    expect(await panel.locator("canvas").count()).toBe(0);
    expect(await panel.getByRole("row").count()).toBe(25);
    await expectAccessible(page, "overview as a table");
    await page.setViewportSize(NARROW);
    await expectToFit(page, "overview as a table");
    await shot(page, "overview-table-narrow");
    await page.setViewportSize(WIDE);
  });

  test("leads from a refusal to its record, which says why", async () => {
    const page = await open();
    const refusals = page.getByRole("table", { name: "Latest refusals" });
    await refusals.getByRole("link", { name: "tool.invoked" }).first().click();
    const record = page.getByRole("dialog", { name: "tool.invoked" });
    await record.getByText("The call was not made").waitFor();
  });

  test("leads from slow and refused tools to their pages", async () => {
    const page = await open();
    await page
      .getByRole("table", { name: /^Slowest tools/ })
      .getByRole("link", { name: "library_searchBooks" })
      .click();
    await heading(page, "library_searchBooks").waitFor();
  });

  test("shows nothing for a time of which nothing is known, and says so", async () => {
    const { page } = owner;
    await page.route("**/api/v1/overview?**", async (route) => {
      const answer = await route.fetch();
      const overview = (await answer.json()) as Overview;
      await route.fulfill({ response: answer, json: { ...overview, period: inventedPeriod(overview.period) } });
    });
    await open("?range=30d");
    await page.getByText(/^Numbers are known since/).waitFor();
    const calls = page.getByRole("table", { name: /^Tool calls/ });
    const rows = await calls.getByRole("row").allTextContents();
    expect([rows.length, rows.filter((row) => row.includes("not known")).length]).toEqual([31, 6]);
    await drawn(page);
    await expectAccessibleInBothSchemes(page, "overview of 30 days");
    await shot(page, "overview-30d");
    await page.emulateMedia({ colorScheme: "dark" });
    await drawn(page);
    await page.locator("figure .u-over").first().hover();
    await shot(page, "overview-30d-dark");
    await page.setViewportSize(NARROW);
    await expectAccessible(page, "overview of 30 days, narrow");
    await expectToFit(page, "overview of 30 days");
    await shot(page, "overview-30d-narrow-dark");
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(WIDE);
    await page.unroute("**/api/v1/overview?**");
  });
});

/** A month with days of every kind, of which the first six are not known. */
function inventedPeriod(period: Overview["period"]): Overview["period"] {
  const first = Date.parse(period.from);
  const days = Array.from({ length: 24 }, (_, day) => ({
    day,
    start: new Date(first + (day + 6) * 24 * HOUR).toISOString(),
  }));
  const busy = (day: number) => (day % 7 < 2 ? 300 : 4_000 + day * 90);
  return {
    ...period,
    isComplete: false,
    countedFrom: new Date(first + 6.4 * 24 * HOUR).toISOString(),
    toolCalls: days.map(({ day, start }) => ({
      start,
      succeeded: busy(day),
      denied: day === 12 ? 2_500 : busy(day) / 10,
      failed: day === 18 ? 1_900 : busy(day) / 20,
    })),
    tokenRequests: days.map(({ day, start }) => ({ start, issued: busy(day) / 10, refused: day % 5 === 0 ? 80 : 4 })),
    slowestTools: [
      { tool: "library_searchBooks", app: "library", calls: 51_204, averageMs: 1_840, longestMs: 30_000 },
      { tool: "board_listNotices", app: "board", calls: 310, averageMs: 95, longestMs: 812 },
    ],
    mostRefusedTools: [
      {
        ...{ tool: "library_addBook", app: "library", denied: 2_711 },
        reasons: [
          { reason: "policy", count: 2_400 },
          { reason: "limited", count: 311 },
        ],
      },
    ],
    limits: [{ limit: "notices", count: 311 }, { count: 4 }],
    upstreams: ["library", "board"].map((app, index) => ({
      app,
      answered: 80_000,
      failed: index === 0 ? 1_200 : 0,
      intervals: days.map(({ day, start }) => ({
        start,
        answered: day === 3 ? 0 : busy(day),
        failed: index === 0 && day === 18 ? 1_200 : 0,
      })),
    })),
  };
}
