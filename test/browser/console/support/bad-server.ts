import type { Page, Route } from "playwright-core";

/** Requests that a slow server does not answer yet. */
export interface Held {
  /** How many wait. */
  count(): number;
  /** Answers them, and from now on every other one at once. */
  release(): Promise<void>;
  /** The server is gone: they get no answer, and from now on no other one does, until they are released. */
  drop(): Promise<void>;
}

/** Holds requests of a page back on their way to the server, by their method and path. */
export async function hold(page: Page, method: string, path: string): Promise<Held> {
  const waiting: Route[] = [];
  let state: "holds" | "answers" | "gone" = "holds";
  const gone = (route: Route) => route.abort("connectionrefused");
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      if (state === "answers" || route.request().method() !== method) return route.fallback();
      if (state === "gone") return gone(route);
      waiting.push(route);
    },
  );
  return {
    count: () => waiting.length,
    release: async () => {
      state = "answers";
      await Promise.all(waiting.splice(0).map((route) => route.fallback()));
    },
    drop: async () => {
      state = "gone";
      await Promise.all(waiting.splice(0).map(gone));
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
