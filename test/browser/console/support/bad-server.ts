import type { Page } from "playwright-core";

/** Requests that a slow server does not answer yet. */
export interface Held {
  /** How many wait. */
  count(): number;
  /** Answers them, and from now on every other one at once. */
  release(): Promise<void>;
}

/** Holds requests of a page back on their way to the server, by their method and path. */
export async function hold(page: Page, method: string, path: string): Promise<Held> {
  const waiting: (() => Promise<void>)[] = [];
  let isHolding = true;
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (!isHolding || route.request().method() !== method) return route.fallback();
      waiting.push(() => route.fallback());
    },
  );
  return {
    count: () => waiting.length,
    release: async () => {
      isHolding = false;
      await Promise.all(waiting.map((go) => go()));
    },
  };
}

/** Answers requests of a page with 500, as the server does when it fails, until the end. */
export async function fail(page: Page, path: RegExp): Promise<{ end(): Promise<void> }> {
  const matches = (url: URL) => path.test(url.pathname);
  await page.route(matches, (route) =>
    route.fulfill({
      status: 500,
      headers: { "Content-Type": "application/problem+json" },
      body: JSON.stringify({
        type: "urn:countersign:problem:internal",
        title: "Internal error",
        status: 500,
        detail: "Something failed here. The log knows more.",
        instance: `urn:countersign:request:${FAILED_REQUEST}`,
      }),
    }),
  );
  return { end: () => page.unroute(matches) };
}

/** The id of requests that `fail` answers. */
export const FAILED_REQUEST = "01JFAILED0000000000000000";
