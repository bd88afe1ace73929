import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { workerd } from "../../runtimes/workerd.ts";
import { startChromium } from "../../support/chromium.ts";
import { withMouse } from "./support/hands.ts";
import { startConsoleServer } from "./support/server.ts";
import { ownersStory } from "./support/story.ts";
import { visit } from "./support/visitor.ts";

describe("in a Worker", () => {
  let browser: Awaited<ReturnType<typeof startChromium>>;
  let server: Awaited<ReturnType<typeof startConsoleServer>>;
  beforeAll(async () => {
    [browser, server] = await Promise.all([startChromium(), startConsoleServer(workerd)]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  test("an owner comes from the setup link to a token, and ends the key", async () => {
    const owner = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"] });
    const { clientId } = await ownersStory(server, owner, withMouse);
    expect(clientId).toMatch(/^client_/);
    await owner.leave();
  });
});
