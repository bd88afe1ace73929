import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { type ConnectionsUnderTest, startConnections } from "./connections/fixture.ts";
import { openingLinks } from "./connections/opening.ts";
import { servingCalls } from "./connections/serving.ts";
import { telling } from "./connections/telling.ts";

/** Agents that call upstreams with the token of their person's own account there. Each test has people of its own. */
export function connections(runtime: RuntimeUnderTest): void {
  describe("people's connections", () => {
    let started: ConnectionsUnderTest;
    beforeAll(async () => {
      started = await startConnections(runtime);
    });
    afterAll(() => started.stop());
    const it = () => started;
    telling(runtime, it);
    openingLinks(it);
    servingCalls(it);

    // The last one: it looks at what all others were told.
    test("69. no code or token of the provider is in an answer, a page, a log line or a record", async () => {
      const told = await started.told();
      expect(told.includes("[redacted]")).toBe(true);
      expect(started.hub.given.size).toBeGreaterThan(20);
      expect([...started.hub.given].filter((secret) => told.includes(secret))).toEqual([]);
    });
  });
}
