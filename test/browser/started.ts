import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { NO_UPSTREAM } from "../behaviour/fixture.ts";
import { signInConfiguration } from "../behaviour/sign-in-configuration.ts";
import { node } from "../runtimes/node.ts";
import { startChromium } from "../support/chromium.ts";
import { type IdentityProvider, startIdentityProvider } from "../support/identity-provider.ts";
import type { RunningRegion } from "../support/runtime.ts";

/** Real processes, a real identity provider and a real browser. */
export interface BrowserStarted {
  readonly region: RunningRegion;
  readonly provider: IdentityProvider;
  readonly browser: Browser;
  readonly application: NativeApplication;
  stop(): Promise<void>;
}

/** A program on this computer that waits for the browser. */
export interface NativeApplication {
  readonly redirect: string;
  /** What the browser brought so far. */
  readonly answers: readonly URL[];
}

export async function startForBrowser(): Promise<BrowserStarted> {
  const provider = await startIdentityProvider();
  const variables = {
    UPSTREAM_URL: NO_UPSTREAM,
    IDP_URL: provider.issuer,
    IDP_CLIENT: provider.client.id,
    IDP_SECRET: provider.client.secret,
  };
  const [regions, browser, application] = await Promise.all([
    node.start({ configuration: signInConfiguration, variables }),
    startChromium(),
    startApplication(),
  ]);
  await provider.register([`${regions.us.url}/oauth2/callback`], [`${regions.us.url}/oauth2/logout`]);
  return {
    region: regions.us,
    provider,
    browser,
    application,
    stop: async () => {
      await Promise.all([browser.close(), application.stop()]);
      await regions.stop();
      await provider.stop();
    },
  };
}

export async function startApplication(): Promise<NativeApplication & { stop(): Promise<void> }> {
  const answers: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "", redirectOf((server.address() as AddressInfo).port));
    if (url.pathname === "/callback") answers.push(url);
    response.writeHead(200, { "Content-Type": "text/html" }).end("<title>Done</title><h1>Back in the application</h1>");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    redirect: redirectOf((server.address() as AddressInfo).port),
    answers,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function redirectOf(port: number): string {
  return `http://127.0.0.1:${port}/callback`;
}
