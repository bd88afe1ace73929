import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buildSite } from "../../infra/build/site/build.ts";
import { type SiteServer, serveSite } from "../../infra/build/site/serve.ts";
import { startChromium } from "../support/chromium.ts";
import { expectAccessible } from "./console/support/axe.ts";
import { expectToFit } from "./console/support/pages.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

let folder: string;
let site: SiteServer;
let browser: Browser;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "countersign-site-"));
  await buildSite(ROOT, join(folder, "site"));
  [site, browser] = await Promise.all([serveSite(join(folder, "site"), 0), startChromium()]);
});
afterAll(async () => {
  await browser?.close();
  site?.server.close();
  site?.server.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

/** A page with what went wrong on it, and what it asked other hosts for. */
async function openReader(width: number): Promise<{ readonly page: Page; readonly complaints: readonly string[] }> {
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: "light" });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(site.url) && !/^(?:data|blob):/.test(url)) complaints.push(`asked for ${url}`);
  });
  page.on("response", (response) => {
    if (!response.ok()) complaints.push(`${response.status()} for ${response.url()}`);
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  return { page, complaints };
}

test("a newcomer starts, searches, looks at a diagram and at the API, in light and dark, and nothing comes from elsewhere", async () => {
  const { page, complaints } = await openReader(1280);
  await page.goto(site.url);
  await drawn(page, "light");
  await expectAccessible(page, "start");

  // The search leads to a heading of a page.
  await page.keyboard.press("/");
  await page.getByRole("searchbox").fill("rotate a key");
  await page.getByRole("link", { name: "Keys of API clients › Rotate a key over HTTP" }).waitFor();
  await expectAccessible(page, "search");
  await page.getByRole("searchbox").press("Enter");
  await page.waitForURL(/keys\.html#rotate-a-key/);

  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Concepts" }).click();
  await drawn(page, "light");
  await expectAccessible(page, "concepts");
  await page.getByRole("button", { name: "Dark colours" }).click();
  await drawn(page, "dark");
  await expectAccessible(page, "concepts, dark");

  // What was chosen holds on the next page.
  await page.getByRole("link", { name: "API reference", exact: true }).click();
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset.scheme)).toBe("dark");
  await page.getByRole("link", { name: "Audit records", exact: true }).click();
  await page.getByText("GET /api/v1/audit-events", { exact: true }).waitFor();
  await expectAccessible(page, "an operation, dark");
  await page.getByRole("link", { name: "AuditEventList", exact: true }).click();
  await page.waitForURL(/schemas\.html#auditeventlist$/);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test("pages fit a telephone, and their menu opens below a button", async () => {
  const { page, complaints } = await openReader(360);
  for (const path of [
    "index.html",
    "docs/concepts.html",
    "docs/configuration.html",
    "docs/api-reference/gateway.html",
  ]) {
    await page.goto(site.url + path);
    if ((await page.locator("figure.diagram").count()) > 0) await drawn(page, "light");
    await expectToFit(page, path);
  }
  await page.getByRole("button", { name: "Menu" }).click();
  await expectAccessible(page, "menu of a telephone");
  await page.getByRole("link", { name: "Policies", exact: true }).click();
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();
  await expectToFit(page, "policies");
  expect(complaints).toEqual([]);
  await page.context().close();
});

/** All diagrams of the page are there, in the colours of the scheme. */
async function drawn(page: Page, scheme: "light" | "dark"): Promise<void> {
  await page.locator(`figure.diagram[data-drawn="${scheme}"] svg`).first().waitFor();
  await expect.poll(() => page.locator(`figure.diagram:not([data-drawn="${scheme}"])`).count()).toBe(0);
}
