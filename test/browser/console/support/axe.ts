import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults, RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const SOURCE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * Nothing that axe calls moderate or worse about what the page shows now. Only what hangs outside of the page, as menus do,
 * may stand outside of landmarks: it belongs to its button.
 */
export function expectAccessible(page: Page, state: string): Promise<void> {
  return expectNothingBad(page, state, { resultTypes: ["violations"] });
}

/** The same in light and in dark: what the colours of the scheme change is contrast alone. Ends in light. */
export async function expectAccessibleInBothSchemes(page: Page, state: string): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await expectNothingBad(page, `${state}, dark`, { resultTypes: ["violations"], runOnly: ["color-contrast"] });
  await page.emulateMedia({ colorScheme: "light" });
  await expectAccessible(page, `${state}, light`);
}

async function expectNothingBad(page: Page, state: string, options: RunOptions): Promise<void> {
  await page.evaluate(colorsSettled);
  const isThere = await page.evaluate(() => "axe" in globalThis);
  if (!isThere) await page.evaluate(await readFile(SOURCE, "utf8"));
  const { violations } = await page.evaluate(
    (given) => (globalThis as unknown as Axe).axe.run(document, given),
    options,
  );
  const bad = violations
    .filter(({ impact }) => impact !== "minor")
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => ({ id, html, failureSummary })))
    .filter(({ id, html }) => id !== "region" || !html.includes("data-portal="))
    .map(({ id, html, failureSummary }) => `${id}: ${html}: ${failureSummary}`);
  expect(bad, `axe, ${state}`).toEqual([]);
}

/** Colours that are on their way to others have contrasts that nobody sees. */
async function colorsSettled(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  const brief = document.getAnimations().filter(({ effect }) => Number(effect?.getComputedTiming().endTime) < 1_000);
  await Promise.allSettled(brief.map(({ finished }) => finished));
}

interface Axe {
  readonly axe: { run(context: Document, options: RunOptions): Promise<AxeResults> };
}
