import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startChromium } from "../../../support/chromium.ts";
import type { RuntimeUnderTest } from "../../../support/runtime.ts";
import { type ConsoleServer, startConsoleServer } from "./server.ts";
import { type Visitor, visit } from "./visitor.ts";

type StorageState = Awaited<ReturnType<BrowserContext["storageState"]>>;

/** What the tests of a file share: a browser, an instance, and its owner, who came by the setup link. */
export interface Stage {
  readonly browser: Browser;
  readonly server: ConsoleServer;
  /** Somebody at another computer, signed out. */
  stranger(options?: BrowserContextOptions): Promise<Visitor>;
  /** Cookies of the owner's session, and whatever else their browser keeps. */
  readonly storageState: StorageState;
  /** The owner, signed in, with their passkey. All of them share one session. */
  owner(options?: BrowserContextOptions): Promise<Visitor>;
  stop(): Promise<void>;
}

export const OWNER = { email: "ada@library.example", organization: "Lending Library" } as const;

/** @param runtime Node with SQLite unless stated */
export async function openStage(runtime?: RuntimeUnderTest): Promise<Stage> {
  const [browser, server] = await Promise.all([startChromium(), startConsoleServer(runtime)]);
  const first = await visit(browser);
  await setUp(first.page, server.setupLink);
  const [passkey] = await first.authenticator.credentials();
  const storageState = await first.context.storageState();
  await first.leave();
  let visits = 0;
  return {
    browser,
    server,
    storageState,
    stranger: (options) => visit(browser, options),
    owner: async (options) => {
      const owner = await visit(browser, { ...options, storageState });
      visits += 1;
      // As if one authenticator went from computer to computer: a counter that falls behind is a copy's.
      if (passkey !== undefined) await owner.authenticator.add({ ...passkey, signCount: visits * USES_A_VISIT });
      return owner;
    },
    stop: async () => {
      await browser.close();
      await server.stop();
    },
  };
}

const USES_A_VISIT = 100;

/** From the setup link to the overview, with a passkey on the way. */
export async function setUp(page: Page, setupLink: string): Promise<void> {
  await page.goto(setupLink);
  await page.getByLabel("Organization").fill(OWNER.organization);
  await page.getByLabel("Your e-mail address").fill(OWNER.email);
  await page.getByRole("button", { name: "Set up" }).click();
  await page.getByRole("button", { name: "Create passkey" }).click();
  await heading(page, "Overview").waitFor();
}

/** The owner in a session of their own, which may end without any other test noticing. */
export async function signedInAnew(stage: Stage, options?: BrowserContextOptions): Promise<Visitor> {
  const owner = await stage.owner(options);
  await owner.context.clearCookies();
  await owner.page.goto(`${stage.server.url}/console/sign-in`);
  await owner.page.getByRole("button", { name: "Sign in with a passkey" }).click();
  await heading(owner.page, "Overview").waitFor();
  return owner;
}

/** Ends the session on the server, as time does: the browser notices with its next request. */
export async function endSession({ server }: Stage, { context }: Visitor): Promise<void> {
  const cookies = await context.cookies(server.url);
  const response = await fetch(`${server.url}/api/v1/sign-out`, {
    method: "POST",
    headers: { Cookie: cookies.map(({ name, value }) => `${name}=${value}`).join("; ") },
  });
  if (!response.ok) throw new Error(`sign-out answered ${response.status}`);
}

/** The page's own heading. */
export function heading(page: Page, name: string | RegExp) {
  return page.getByRole("heading", { level: 1, name });
}
