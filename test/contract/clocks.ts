import { beforeAll, describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { createdSession, endSession, expectRecords } from "./mcp-session-workings.ts";
import { apiClient, auditEvent, keyPair, MINUTE, newOrganizationId, tokenIssue } from "./records.ts";

/** Two processes on the same data, one by a clock that is a minute behind and one by a clock that is a minute ahead. */
export function clocksContract(engine: StoreEngine): void {
  describe(`clocks a minute off on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let behind: Process;
    let ahead: Process;
    beforeAll(async () => {
      behind = { stores: await opened.another(-MINUTE), now: () => Date.now() - MINUTE };
      ahead = { stores: await opened.another(MINUTE), now: () => Date.now() + MINUTE };
    });

    const createdClient = async () => {
      const client = apiClient({ keyPairs: [keyPair(), keyPair()] });
      await opened.stores.apiClients.create(client, auditEvent({ organizationId: client.organizationId }));
      return client;
    };

    describe(`API clients on ${engine.name}`, () => {
      test("a later change by the clock that is behind counts, by its revision and not by its time", async () => {
        const client = await createdClient();
        const { organizationId } = client;
        const rename = ({ stores, now }: Process, name: string, expectedRevision: number) =>
          stores.apiClients.update({ ...client, expectedRevision }, { name }, now(), auditEvent({ organizationId }));
        expect((await rename(ahead, "Ahead", 1)).outcome).toBe("done");
        expect(await rename(behind, "Stale", 1)).toEqual({ outcome: "stale", revision: 2 });
        expect((await rename(behind, "Behind", 2)).outcome).toBe("done");
        expect(await ahead.stores.apiClients.get(organizationId, client.clientId)).toMatchObject({
          name: "Behind",
          revision: 3,
        });
      });
    });

    describe(`tokens on ${engine.name}`, () => {
      test("5. an assertion id of 50 parallel issues counts once", async () => {
        const client = await createdClient();
        const assertionExpiresAt = Date.now() + 2 * MINUTE;
        const issues = await Promise.all(
          Array.from({ length: 50 }, (_, i) => {
            const { stores, now } = i % 2 === 0 ? behind : ahead;
            return stores.tokens.issue(tokenIssue(client, { issuedAt: now(), assertionId: "one", assertionExpiresAt }));
          }),
        );
        expect(issues.filter(({ outcome }) => outcome === "issued")).toHaveLength(1);
      });

      test("a token is expired for one clock and still active for the other", async () => {
        const { reference, token } = await issuedBy(behind, await createdClient(), 90_000);
        expect(await ahead.stores.tokens.introspect(reference, ahead.now())).toBeUndefined();
        expect(await ahead.stores.tokens.revoke(reference, ahead.now(), auditEvent())).toBe(false);
        expect(await behind.stores.tokens.introspect(reference, behind.now())).toEqual(token);
      });

      test("what one clock revoked is over for the other, whichever is ahead", async () => {
        for (const [revoker, other] of [
          [ahead, behind],
          [behind, ahead],
        ] as const) {
          const client = await createdClient();
          const { reference } = await issuedBy(other, client, 60 * MINUTE);
          expect(await revoker.stores.tokens.revoke(reference, revoker.now(), auditEvent())).toBe(true);
          expect(await other.stores.tokens.introspect(reference, other.now())).toBeUndefined();

          const event = auditEvent({ organizationId: client.organizationId });
          const keyPairId = client.keyPairs[0]?.keyPairId ?? "";
          await revoker.stores.apiClients.revokeKeyPair(client, keyPairId, revoker.now(), event);
          const withFirstKey = tokenIssue(client, { issuedAt: other.now() });
          expect(await other.stores.tokens.issue(withFirstKey)).toEqual({ outcome: "refused", reason: "key_revoked" });

          const otherKey = { ...client, keyPairs: client.keyPairs.slice(1) };
          const before = await issuedBy(other, otherKey, 60 * MINUTE);
          await revoker.stores.apiClients.delete(client, { revokeTokens: true }, auditEvent());
          expect(await other.stores.tokens.introspect(before.reference, other.now())).toBeUndefined();
          const afterwards = tokenIssue(otherKey, { issuedAt: other.now() });
          expect(await other.stores.tokens.issue(afterwards)).toEqual({ outcome: "refused", reason: "client_deleted" });
        }
      });
    });

    describe(`single use on ${engine.name}`, () => {
      test("a value that has expired for one clock and not for the other counts once", async () => {
        for (const expiresIn of [-30_000, 30_000]) {
          const key = crypto.randomUUID();
          const expiresAt = Date.now() + expiresIn;
          const results = await Promise.all(
            Array.from({ length: 50 }, (_, i) => {
              const { stores } = i % 2 === 0 ? behind : ahead;
              return stores.singleUse.consume("test", key, expiresAt);
            }),
          );
          expect(results.filter(Boolean)).toHaveLength(1);
        }
      });
    });

    describe(`sign-in on ${engine.name}`, () => {
      test("a link that has expired for one clock is still there for the other, once", async () => {
        const link = { secretHash: crypto.randomUUID(), userId: "user_1", expiresAt: Date.now() };
        await ahead.stores.directory.createSignInLink(link);
        const consume = ({ stores, now }: Process) => stores.directory.consumeSignInLink(link.secretHash, now());
        expect(await consume(ahead)).toBeUndefined();
        expect(await consume(behind)).toEqual(link);
        expect(await consume(behind)).toBeUndefined();
      });

      test("a session that both clocks touch keeps the later time and its end", async () => {
        const lastSeenAt = behind.now();
        const session = { sessionHash: crypto.randomUUID(), userId: "user_1", createdAt: lastSeenAt, lastSeenAt };
        const record = { ...session, expiresAt: Date.now() + 30_000 };
        await behind.stores.directory.createBrowserSession(record);
        const seen = ahead.now();
        await ahead.stores.directory.touchBrowserSession(session.sessionHash, seen);
        await behind.stores.directory.touchBrowserSession(session.sessionHash, behind.now());
        for (const { stores } of [ahead, behind]) {
          expect(await stores.directory.getBrowserSession(session.sessionHash)).toEqual({
            ...record,
            lastSeenAt: seen,
          });
        }
      });
    });

    describe(`audit log on ${engine.name}`, () => {
      test("records of both clocks are shown at once, in the order of their ids, and one completes the other's", async () => {
        const organizationId = newOrganizationId();
        const late = auditEvent({ organizationId, time: ahead.now() });
        const early = auditEvent({ organizationId, time: behind.now() });
        await ahead.stores.auditLog.begin(late);
        await behind.stores.auditLog.append(early);
        await behind.stores.auditLog.complete(late, { outcome: "success" });
        for (const { stores } of [ahead, behind]) {
          expect((await stores.auditLog.query({ organizationId }, { limit: 10 })).items).toEqual([late, early]);
        }
      });
    });

    describe(`agents' sessions on ${engine.name}`, () => {
      test("a session that has expired for one clock is live for the other, and its expiry is no end of anybody's", async () => {
        const [early, late] = [behind.now(), ahead.now()];
        const session = await createdSession(behind.stores, { startedAt: early, timeout: 90_000 });
        expect(await behind.stores.mcpSessions.use(session, early)).toEqual(session);
        expect(await ahead.stores.mcpSessions.use(session, late)).toBeUndefined();
        expect(await endSession(ahead.stores, session, late)).toBe(false);
        // Whether an expiry that one has noticed holds for the other is for the store to say.
        expect([undefined, session]).toContainEqual(await behind.stores.mcpSessions.use(session, early));
      });

      test("a session that both clocks use keeps the later time, and is live for both", async () => {
        const session = await createdSession(behind.stores, { startedAt: behind.now() });
        const lastSeenAt = ahead.now();
        const used = { ...session, lastSeenAt };
        expect(await ahead.stores.mcpSessions.use(session, lastSeenAt)).toEqual(used);
        expect(await behind.stores.mcpSessions.use(session, behind.now())).toEqual(used);
        for (const { stores, now } of [ahead, behind]) {
          expect(await stores.mcpSessions.get(session.sessionHash, now())).toEqual(used);
        }
      });

      test("a session that began by the clock that is ahead is live for the other", async () => {
        const session = await createdSession(ahead.stores, { startedAt: ahead.now() });
        expect(await behind.stores.mcpSessions.use(session, behind.now())).toEqual(session);
      });

      test("25. a session that one clock ended is over for the other, whichever is ahead", async () => {
        for (const [ender, other] of [
          [ahead, behind],
          [behind, ahead],
        ] as const) {
          const session = await createdSession(other.stores, { startedAt: other.now() });
          expect(await endSession(ender.stores, session, ender.now())).toBe(true);
          expect(await other.stores.mcpSessions.use(session, other.now())).toBeUndefined();
          expect(await endSession(other.stores, session, other.now())).toBe(false);
          await expectRecords(other.stores, session, ["session.started", "session.terminated"]);
        }
      });
    });
  });
}

interface Process {
  readonly stores: Stores;
  now(): number;
}

async function issuedBy({ stores, now }: Process, client: Parameters<typeof tokenIssue>[0], lifetime: number) {
  const request = tokenIssue(client, { issuedAt: now(), lifetime });
  expect(await stores.tokens.issue(request)).toEqual({ outcome: "issued" });
  return request;
}
