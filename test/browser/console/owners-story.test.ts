import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startChromium } from "../../support/chromium.ts";
import { type Hands, withKeyboard, withMouse } from "./support/hands.ts";
import { type ConsoleServer, startConsoleServer } from "./support/server.ts";
import { ownersStory, type Told } from "./support/story.ts";
import { filesBelow, keptByPage, traceFinder } from "./support/traces.ts";
import { type Visitor, visit } from "./support/visitor.ts";

const CLIPBOARD = { permissions: ["clipboard-read", "clipboard-write"] };

describe("an owner who never saw the Console comes from the setup link to a token, and ends the key", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser?.close());

  const tell = async (server: ConsoleServer, visitor: Visitor, hands: Hands, how: string): Promise<Told> => {
    const startedAt = performance.now();
    const told = await ownersStory(server, visitor, hands);
    console.log(`The owner's story ${how}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
    return told;
  };

  describe("with the mouse", () => {
    let server: ConsoleServer;
    let owner: Visitor;
    let told: Told;
    beforeAll(async () => {
      server = await startConsoleServer();
      owner = await visit(browser, CLIPBOARD);
    });
    afterAll(async () => {
      await owner?.leave();
      await server?.stop();
    });

    test("step by step", async () => {
      told = await tell(server, owner, withMouse, "with the mouse");
    });

    test("34. the private key was in one answer, and is nowhere else: traffic, store, log, page, browser", async () => {
      const hasTrace = traceFinder(told.privateKey);
      const exchanges = await owner.traffic.exchanges();
      const answers = exchanges.filter(({ received }) => hasTrace(received.replaceAll("\\n", "\n")));
      const path = `/api/v1/api-clients/${told.clientId}/key-pairs`;
      expect(answers.map(({ method, url }) => `${method} ${new URL(url).pathname}`)).toEqual([`POST ${path}`]);
      expect(answers[0]?.received).toContain('"no-store');
      expect(exchanges.filter(({ sent }) => hasTrace(sent))).toEqual([]);

      const files = await filesBelow(server.store);
      expect([...files.keys()].some((file) => file.endsWith("-wal"))).toBe(true);
      expect([...files].filter(([, bytes]) => hasTrace(bytes)).map(([file]) => file)).toEqual([]);

      const lines = server.logs();
      expect(lines.some((line) => line.includes(path))).toBe(true);
      expect(lines.filter((line) => hasTrace(line))).toEqual([]);

      const kept = { ...(await keptByPage(owner.page)), ...(await owner.context.storageState()) };
      for (const [where, what] of Object.entries(kept)) expect(hasTrace(JSON.stringify(what)), where).toBe(false);
    });
  });

  test("with the keyboard alone", async () => {
    const server = await startConsoleServer();
    const owner = await visit(browser, CLIPBOARD);
    try {
      await tell(server, owner, withKeyboard(owner.page), "with the keyboard");
    } finally {
      await owner.leave();
      await server.stop();
    }
  });
});
