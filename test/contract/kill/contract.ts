import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { eventually } from "../../support/eventually.ts";
import { MINUTE, tokenIssue } from "../records.ts";
import { killedCredentialsContract } from "./credentials.ts";
import type { MortalEngine, MortalStores } from "./engine.ts";
import { killedGrantsContract } from "./grants.ts";
import { callsOf, type Line } from "./journal.ts";
import { killedMembersContract } from "./members.ts";

/**
 * After how many acknowledgements the writers are killed: some while they begin, some in full flow. The last is another one
 * in each run, which the suite's title tells; by then every operation was acknowledged.
 */
const KILLS = [1, 4, 10, 11, 20, 40, 250 + Math.floor(Math.random() * 40)];

/** Milliseconds. Writers are started one after the other, and alarms of Durable Objects ring after ten seconds. */
const PATIENCE = 120_000;

/** What was acknowledged before `kill -9` is there, and what was not is there as a whole or not at all. */
export function killContract(engine: MortalEngine): void {
  describe(`kill -9 after ${KILLS.join(", ")} answers on ${engine.name}`, { timeout: PATIENCE }, () => {
    const journals: (readonly Line[])[] = [];
    let open: MortalStores;
    let stores: Stores;
    beforeAll(async () => {
      open = await engine.open();
      for (const acknowledgements of KILLS) journals.push(await open.writeAndKill(acknowledgements));
      stores = await open.stores();
    }, PATIENCE);
    afterAll(() => open.close());

    /** Expects the organization's records of a type to be this event if what it tells happened, else none. */
    const expectEvent = async ({ id, organizationId, type }: AuditEvent, happened: boolean) => {
      const ids = async () => {
        const { items } = await stores.auditLog.query({ organizationId, type }, { limit: 100 });
        return items.filter((event) => event.id === id);
      };
      if (happened) await eventually(ids, (found) => found.length > 0);
      expect(await ids()).toHaveLength(happened ? 1 : 0);
    };

    killedGrantsContract(engine.name, { journals, stores: () => stores, expectEvent });
    killedMembersContract(engine.name, { journals, stores: () => stores, expectEvent });
    killedCredentialsContract(engine.name, { journals, stores: () => stores, expectEvent });

    describe(`tokens on ${engine.name}`, () => {
      test("each issued token is whole: the token, its used assertion id and exactly one event, or none of them", async () => {
        const organizations = new Map<string, string[]>();
        for (const { args, acknowledged } of callsOf(journals, "tokens", "issue")) {
          const [request] = args;
          const { reference, token, event, assertionId } = request;
          if (assertionId === undefined) continue;
          const found = await stores.tokens.introspect(reference, token.issuedAt);
          const isThere = found !== undefined;
          if (acknowledged !== undefined) expect(acknowledged.value).toEqual({ outcome: "issued" });
          expect(found).toEqual(isThere || acknowledged !== undefined ? token : undefined);
          const events = organizations.get(token.organizationId) ?? [];
          organizations.set(token.organizationId, isThere ? [...events, event.id] : events);
          const use = { ...token, shard: reference.shard, assertionId, now: Date.now() };
          const outcome = isThere ? { outcome: "refused", reason: "assertion_used" } : { outcome: "accepted" };
          expect(await stores.tokens.acceptAssertion(use)).toEqual(outcome);
        }
        expect([...organizations.values()].flat().length).toBeGreaterThan(20);
        for (const [organizationId, expected] of organizations) {
          const ids = await eventually(
            () => everyId(stores, organizationId, "token.issued"),
            (found) => found.length >= expected.length,
          );
          expect(ids).toEqual(expected.sort());
        }
      });

      test("a revocation of a token that was acknowledged holds, and each has its event", async () => {
        const issues = callsOf(journals, "tokens", "issue").map(({ args: [request] }) => request);
        for (const { args, acknowledged } of callsOf(journals, "tokens", "revoke")) {
          const [reference, now, event] = args;
          const { token } = issues.find((issue) => issue.reference.hash === reference.hash) ?? {};
          const found = await stores.tokens.introspect(reference, now);
          expect([undefined, token]).toContainEqual(found);
          if (acknowledged?.value === true) expect(found).toBeUndefined();
          await expectEvent(event, found === undefined);
        }
      });
    });

    describe(`API clients on ${engine.name}`, () => {
      const deletedIds = () => callsOf(journals, "apiClients", "delete").map(({ args: [{ clientId }] }) => clientId);

      test("each client is whole: record, key pairs, list and event, or none of them", async () => {
        const changed = new Set([
          ...callsOf(journals, "apiClients", "addKeyPair").map(({ args: [{ clientId }] }) => clientId),
          ...deletedIds(),
        ]);
        const creations = callsOf(journals, "apiClients", "create");
        expect(creations.length).toBeGreaterThan(KILLS.length);
        for (const { args, acknowledged } of creations) {
          const [client, event] = args;
          if (changed.has(client.clientId)) continue;
          const found = await stores.apiClients.get(client.organizationId, client.clientId);
          expect([undefined, client]).toContainEqual(found);
          if (acknowledged !== undefined) expect(found).toEqual(client);
          const { items } = await stores.apiClients.list(client.organizationId, { limit: 10 });
          expect(items).toEqual(found === undefined ? [] : [client]);
          await expectEvent(event, found !== undefined);
        }
      });

      test("each key pair is added or revoked as a whole, with its event, and a revoked one issues nothing", async () => {
        const created = new Map(
          callsOf(journals, "apiClients", "create").map(({ args: [one] }) => [one.clientId, one]),
        );
        for (const { args, acknowledged } of callsOf(journals, "apiClients", "addKeyPair")) {
          const [{ organizationId, clientId }, keyPair, event] = args;
          const found = await stores.apiClients.get(organizationId, clientId);
          const isAdded = found?.keyPairs.some(({ keyPairId }) => keyPairId === keyPair.keyPairId) ?? false;
          if (acknowledged !== undefined) expect(isAdded).toBe(true);
          await expectEvent(event, isAdded);
        }
        for (const { args, acknowledged } of callsOf(journals, "apiClients", "revokeKeyPair")) {
          const [{ organizationId, clientId }, keyPairId, revokedAt, event] = args;
          const found = await stores.apiClients.get(organizationId, clientId);
          const keyPair = found?.keyPairs.find((one) => one.keyPairId === keyPairId);
          const isRevoked = keyPair?.status === "revoked";
          expect([found?.revision, keyPair?.revokedAt]).toEqual(isRevoked ? [3, revokedAt] : [2, undefined]);
          if (acknowledged !== undefined) expect(isRevoked).toBe(true);
          await expectEvent(event, isRevoked);
          if (isRevoked) await expectRefused(stores, created.get(clientId), "key_revoked");
        }
      });

      test("each client is deleted as a whole, with its event, and then issues nothing", async () => {
        const created = new Map(
          callsOf(journals, "apiClients", "create").map(({ args: [one] }) => [one.clientId, one]),
        );
        for (const { args, acknowledged } of callsOf(journals, "apiClients", "delete")) {
          const [{ organizationId, clientId }, , event] = args;
          const found = await stores.apiClients.get(organizationId, clientId);
          expect([undefined, created.get(clientId)]).toContainEqual(found);
          if (acknowledged !== undefined) expect(found).toBeUndefined();
          expect((await stores.apiClients.list(organizationId, { limit: 10 })).items).toEqual(found ? [found] : []);
          await expectEvent(event, found === undefined);
          if (found === undefined) await expectRefused(stores, created.get(clientId), "client_deleted");
        }
      });
    });

    describe(`single use on ${engine.name}`, () => {
      test("a value that was acknowledged as consumed stays used", async () => {
        const calls = callsOf(journals, "singleUse", "consume");
        expect(calls.length).toBeGreaterThan(KILLS.length);
        for (const { args, acknowledged } of calls) {
          if (acknowledged === undefined) await stores.singleUse.consume(...args);
          expect(await stores.singleUse.consume(...args)).toBe(false);
        }
      });
    });

    describe(`sign-in on ${engine.name}`, () => {
      test("each link is there with its event or not at all, and one that was used stays used", async () => {
        const uses = new Map(
          callsOf(journals, "directory", "consumeSignInLink").map(({ args: [hash], acknowledged }) => [
            hash,
            acknowledged,
          ]),
        );
        for (const { args, acknowledged } of callsOf(journals, "directory", "createSignInLink")) {
          const [link, event] = args;
          if (event === undefined) throw new Error("the writer gives each link an event");
          const found = await stores.directory.consumeSignInLink(link.secretHash, Date.now());
          expect([undefined, link]).toContainEqual(found);
          if (uses.get(link.secretHash) !== undefined) expect(found).toBeUndefined();
          if (uses.has(link.secretHash)) continue;
          if (acknowledged !== undefined) expect(found).toEqual(link);
          await expectEvent(event, found !== undefined);
        }
      });

      test("each session is there as it was made and last touched", async () => {
        const touches = new Map(
          callsOf(journals, "directory", "touchBrowserSession").map(({ args, acknowledged }) => [
            args[0],
            { at: args[1], acknowledged },
          ]),
        );
        for (const { args, acknowledged } of callsOf(journals, "directory", "createBrowserSession")) {
          const [session] = args;
          const touch = touches.get(session.sessionHash);
          const touched = touch && { ...session, lastSeenAt: touch.at };
          const found = await stores.directory.getBrowserSession(session.sessionHash);
          if (touch?.acknowledged !== undefined) expect(found).toEqual(touched);
          else if (acknowledged !== undefined) expect([session, touched]).toContainEqual(found);
          else expect([undefined, session]).toContainEqual(found);
        }
      });
    });

    describe(`audit log on ${engine.name}`, () => {
      test("each record is there as it was written, once, and each completion whole", async () => {
        const completions = new Map(
          callsOf(journals, "auditLog", "complete").map((call) => [call.args[0].id, call] as const),
        );
        const begun = callsOf(journals, "auditLog", "begin");
        expect(begun.length).toBeGreaterThan(KILLS.length);
        for (const { args, acknowledged } of begun) {
          const [event] = args;
          const open = { ...event, outcome: "unknown" };
          const completion = completions.get(event.id);
          const completed = { ...event, ...completion?.args[1] };
          const [found, ...more] = (
            await stores.auditLog.query({ organizationId: event.organizationId }, { limit: 10 })
          ).items;
          expect(more).toEqual([]);
          if (completion?.acknowledged !== undefined) expect(found).toEqual(completed);
          else if (completion !== undefined) expect([open, completed]).toContainEqual(found);
          else if (acknowledged !== undefined) expect(found).toEqual(open);
          else expect([undefined, open]).toContainEqual(found);
        }
        for (const { args, acknowledged } of callsOf(journals, "auditLog", "append")) {
          const found = (await stores.auditLog.query({ organizationId: args[0].organizationId }, { limit: 10 })).items;
          if (acknowledged !== undefined) expect(found).toEqual(args);
          else expect([[], args]).toContainEqual(found);
        }
      });
    });

    describe(`agents' sessions on ${engine.name}`, () => {
      test("each session is there as it was last used, with its event, or was ended with another, or never was", async () => {
        const bySession = <Operation extends "use" | "setLogLevel" | "setUpstream">(operation: Operation) =>
          new Map(callsOf(journals, "mcpSessions", operation).map((call) => [call.args[0].sessionHash, call] as const));
        const [uses, levels, upstreams] = [bySession("use"), bySession("setLogLevel"), bySession("setUpstream")];
        const ends = new Map(callsOf(journals, "mcpSessions", "end").map((call) => [call.args[0], call] as const));
        const creations = callsOf(journals, "mcpSessions", "create");
        expect(creations.length).toBeGreaterThan(KILLS.length);
        for (const { args, acknowledged } of creations) {
          const [session, event] = args;
          const { sessionHash, startedAt } = session;
          const [use, level, end] = [uses.get(sessionHash), levels.get(sessionHash), ends.get(sessionHash)];
          const used = { ...session, ...(use && { lastSeenAt: use.args[1] }) };
          const set = { ...used, ...(level && { logLevel: level.args[1] }) };
          const upstream = upstreams.get(sessionHash);
          const known = { ...set, ...(upstream && { upstreams: { [upstream.args[1]]: upstream.args[2] } }) };
          const found = await stores.mcpSessions.get(sessionHash, startedAt);
          const possible = [
            ...(end === undefined && acknowledged !== undefined ? [] : [undefined]),
            ...(end?.acknowledged === undefined ? [known] : []),
            ...(use !== undefined && use.acknowledged === undefined ? [session] : []),
            ...(level !== undefined && level.acknowledged === undefined ? [used] : []),
            ...(upstream !== undefined && upstream.acknowledged === undefined ? [set] : []),
          ];
          expect(possible).toContainEqual(found);
          // Who was asked to end a session had been told that it is there.
          await expectEvent(event, found !== undefined || end !== undefined);
          if (end !== undefined) await expectEvent(end.args[2], found === undefined);
          await eventually(
            () => stores.mcpSessions.list(String(session.organizationId), startedAt, { limit: 10 }),
            ({ items }) => items.length === (found === undefined ? 0 : 1),
          );
        }
      });
    });
  });
}

/** On every lane: once for all that was acknowledged, in the end for what was only stored. */
async function expectRefused(stores: Stores, client: ApiClientRecord | undefined, reason: string): Promise<void> {
  if (client === undefined) throw new Error("the writer changes clients of its own");
  await Promise.all(
    Array.from({ length: 24 }, () => {
      const request = tokenIssue(client, { assertionId: crypto.randomUUID(), lifetime: MINUTE });
      const ask = () => stores.tokens.issue(request);
      return eventually(ask, (result) => result.outcome === "refused" && result.reason === reason);
    }),
  );
}

/** Ids of an organization's records of a type, sorted, of all pages. */
async function everyId(stores: Stores, organizationId: string, type: AuditEvent["type"]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await stores.auditLog.query(
      { organizationId, type },
      { limit: 100, ...(cursor !== undefined && { cursor }) },
    );
    ids.push(...page.items.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === undefined) return ids.sort();
  }
}
