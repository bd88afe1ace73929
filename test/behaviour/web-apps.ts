import { afterAll, beforeAll, describe } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { callersOfWebApps } from "./web-apps/callers.ts";
import { startWebApps, type WebAppsUnderTest } from "./web-apps/fixture.ts";
import { openApps } from "./web-apps/open-apps.ts";
import { signingOutOfWebApps } from "./web-apps/sign-out.ts";
import { socketsOfWebApps } from "./web-apps/sockets.ts";

/** Web applications and HTTP APIs behind the identity-aware reverse proxy. */
export function webApps(runtime: RuntimeUnderTest): void {
  describe("web apps", () => {
    let started: WebAppsUnderTest;
    beforeAll(async () => {
      started = await startWebApps(runtime);
    });
    afterAll(() => started.stop());
    const it = () => started;
    openApps(it);
    callersOfWebApps(it);
    signingOutOfWebApps(runtime, it);
    socketsOfWebApps(runtime, it);
  });
}
