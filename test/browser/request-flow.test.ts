import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { ALICE, type SignIn } from "../behaviour/request-flow/sign-in.ts";
import { requestFlow } from "../behaviour/request-flow.ts";
import { node } from "../runtimes/node.ts";
import { workerd } from "../runtimes/workerd.ts";
import { startChromium } from "../support/chromium.ts";
import { startApplication } from "./started.ts";

let browser: Browser;
let application: Awaited<ReturnType<typeof startApplication>>;
beforeAll(async () => {
  [browser, application] = await Promise.all([startChromium(), startApplication()]);
});
afterAll(() => Promise.all([browser?.close(), application?.stop()]));

/** By a person's clicks. */
const inChromium = (): SignIn => ({
  redirectURL: application.redirect,
  signIn: async (authorization) => {
    const context = await browser.newContext();
    try {
      const page = await context.newPage();
      await page.goto(authorization.href);
      await page.getByRole("button", { name: "Allow" }).click();
      await page.getByLabel("Name").fill(ALICE);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.getByRole("heading", { name: "Back in the application" }).waitFor();
      return new URL(page.url()).searchParams;
    } finally {
      await context.close();
    }
  },
});

requestFlow(node, inChromium);
requestFlow(workerd, inChromium);
