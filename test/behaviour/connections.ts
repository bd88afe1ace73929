import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { secretsIn, spellingsOf } from "../support/secret-spellings.ts";
import { type ConnectionsUnderTest, startConnections } from "./connections/fixture.ts";
import { keepingNothing } from "./connections/keeping.ts";
import { openingLinks } from "./connections/opening.ts";
import { sdkAgents } from "./connections/sdk-agents.ts";
import { servingCalls } from "./connections/serving.ts";
import { telling } from "./connections/telling.ts";
import { accountsOfWebApps } from "./connections/web-apps.ts";

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
    sdkAgents(runtime, it);
    openingLinks(it);
    servingCalls(it);
    keepingNothing(it);
    accountsOfWebApps(runtime, it);

    // The last ones: they look at what all others were told, and at what they left.
    test("69. no code or token of the provider is in an answer, a page, a log line or a record", async () => {
      const told = await started.told();
      expect(told.includes("[redacted]")).toBe(true);
      expect(started.hub.given.size).toBeGreaterThan(20);
      expect(secretsIn(Buffer.from(told), started.hub.given)).toEqual([]);
    });

    test("71. no code, verifier, state or token of the provider is in a dump of the stores, in any spelling", async () => {
      const stored = (await started.us.stored?.()) ?? Buffer.of();
      // What is kept in clear is there, so that this is the store; and whatever else were there would be found.
      for (const kept of ["id of single", "connection_", "connection.completed"])
        expect(stored.includes(kept)).toBe(true);
      const { given } = started.hub;
      for (const kind of ["code", "access", "refresh", "id"]) {
        const [planted = ""] = [...given].filter((secret) => secret.startsWith(`hub_${kind}_`));
        for (const spelling of spellingsOf(planted)) {
          expect(secretsIn(Buffer.concat([stored.subarray(0, 100), Buffer.from(spelling)]), [planted])).toEqual([
            planted,
          ]);
        }
      }
      expect(secretsIn(stored, given)).toEqual([]);
    });
  });
}
