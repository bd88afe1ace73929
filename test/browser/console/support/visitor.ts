import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { expect } from "vitest";
import { addAuthenticator, type VirtualAuthenticator } from "./authenticator.ts";
import { collectFaults } from "./faults.ts";
import { recordTraffic, type Traffic } from "./traffic.ts";

/** Somebody at a computer of their own. */
export interface Visitor {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly authenticator: VirtualAuthenticator;
  readonly traffic: Traffic;
  /** Fails when anything was wrong with a page, though nobody may have seen it. Only faults that a test makes are `expected`. */
  leave(expected?: RegExp): Promise<void>;
}

export async function visit(browser: Browser, options: BrowserContextOptions = {}): Promise<Visitor> {
  const context = await browser.newContext({
    locale: "en-GB",
    timezoneId: "Europe/London",
    reducedMotion: "reduce",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const faults = await collectFaults(context);
  const traffic = recordTraffic(context);
  const page = await context.newPage();
  const authenticator = await addAuthenticator(page);
  return {
    context,
    page,
    authenticator,
    traffic,
    leave: async (expected) => {
      await context.close();
      expect(faults.filter((fault) => expected === undefined || !expected.test(fault))).toEqual([]);
    },
  };
}

/** Milliseconds. */
const PATIENCE = 15_000;
