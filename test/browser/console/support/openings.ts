import type { Page } from "playwright-core";

/** What opens over a page. */
export interface Opening {
  readonly name: string;
  /** Below the Console; an API client's page is `client`. */
  readonly path: string;
  /** From the page as it is after loading. */
  readonly open: (page: Page) => Promise<unknown>;
}

/** The first button that is called so. */
export const press = (page: Page, name: string | RegExp) => page.getByRole("button", { name }).first().click();
/** A tab. */
export const show = (page: Page, name: string | RegExp) => page.getByRole("tab", { name }).click();
