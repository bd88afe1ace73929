import type { Page } from "playwright-core";
import { expect } from "vitest";
import { heading } from "./stage.ts";

/** A page of the Console for whoever is signed in. */
export interface ConsolePage {
  /** Of files, too. */
  readonly name: string;
  /** Below the origin. */
  readonly path: string;
  readonly heading: string | RegExp;
}

/** @param clientId an API client that there is */
export function consolePages(clientId: string): readonly ConsolePage[] {
  return [
    { name: "overview", path: "/console/", heading: "Overview" },
    { name: "api-clients", path: "/console/api-clients", heading: "API clients" },
    { name: "api-client", path: `/console/api-clients/${clientId}`, heading: /./ },
    { name: "audit", path: "/console/audit", heading: "Audit log" },
    { name: "approvals", path: "/console/approvals", heading: "Approvals" },
    { name: "stops", path: "/console/stops", heading: "Stops" },
    { name: "gateway", path: "/console/gateway", heading: /Gateway|Tools/ },
    { name: "tool", path: "/console/gateway/tools/library_searchBooks", heading: "library_searchBooks" },
    { name: "access", path: "/console/gateway/access", heading: "Who can call what" },
    { name: "why", path: "/console/why", heading: "Why?" },
    { name: "policies", path: "/console/policies", heading: "Test policies" },
    { name: "pins", path: "/console/gateway/pins", heading: "Held tools" },
    { name: "connections", path: "/console/connections", heading: "Connections" },
    { name: "connected-agents", path: "/console/connected-agents", heading: "Connected agents" },
    { name: "configuration", path: "/console/gateway/configuration", heading: "Configuration" },
    { name: "edit-configuration", path: "/console/gateway/configuration/edit", heading: "Edit configuration" },
    { name: "limits", path: "/console/gateway/limits", heading: "Limits" },
    { name: "gateway-settings", path: "/console/gateway/settings", heading: /settings/i },
    { name: "organization", path: "/console/organization", heading: /./ },
    { name: "account", path: "/console/account", heading: /account/i },
    { name: "connect", path: "/console/connect", heading: "Connect an agent" },
    { name: "not-found", path: "/console/nowhere", heading: /./ },
  ];
}

/** Opens a page and waits until nothing on it is still to come. */
export async function openPage(page: Page, origin: string, { path, heading: name }: ConsolePage): Promise<void> {
  await page.goto(origin + path);
  await heading(page, name).waitFor();
  await loaded(page);
}

export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelector('[role="status"][aria-label^="Loading"]') === null);
}

/** Nothing reaches beyond the right edge of the window, unless it scrolls in itself. What is on its way to a place may. */
export async function expectToFit(page: Page, state: string): Promise<void> {
  await expect.poll(() => tooWide(page), { message: `wider than the window: ${state}` }).toEqual([]);
}

/** Texts of what reaches beyond the right edge of the window, unless it scrolls in itself. */
function tooWide(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const scrolls = (element: Element): boolean => {
      for (let around = element.parentElement; around !== null; around = around.parentElement) {
        const { overflowX, textOverflow, clipPath } = getComputedStyle(around);
        if (overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis") return true;
        // For screen readers alone.
        if (clipPath !== "none") return true;
      }
      return false;
    };
    const wide = [...document.querySelectorAll("body *")].filter((element) => {
      const { right, width: own } = element.getBoundingClientRect();
      return own > 0 && right > width + 1 && !scrolls(element);
    });
    const page = document.scrollingElement?.scrollWidth ?? 0;
    return [
      ...(page > width ? [`the page is ${page} wide`] : []),
      ...wide.map(({ tagName, className, textContent }) => `${tagName}.${className}: ${textContent?.slice(0, 60)}`),
    ];
  });
}
