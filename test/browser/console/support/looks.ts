import { join } from "node:path";
import type { Page } from "playwright-core";
import { expectAccessible, expectAccessibleInBothSchemes } from "./axe.ts";
import { expectToFit } from "./pages.ts";

const NARROW = { width: 360, height: 740 };

/** How it looks to people, as a picture in the folder `SHOTS`, where that is set. */
export async function shot(page: Page, name: string): Promise<void> {
  const { SHOTS } = process.env;
  if (SHOTS) await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: true, timeout: 60_000 });
}

/** That a page is accessible, light, dark and where it is narrow, and fits there. Ends light, and as wide as it was. */
export async function inEveryLook(page: Page, state: string): Promise<void> {
  const wide = page.viewportSize();
  await expectAccessibleInBothSchemes(page, state);
  await shot(page, state);
  await page.emulateMedia({ colorScheme: "dark" });
  await shot(page, `${state}-dark`);
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(NARROW);
  await expectAccessible(page, `${state}, narrow`);
  await expectToFit(page, state);
  await shot(page, `${state}-narrow`);
  if (wide !== null) await page.setViewportSize(wide);
}
