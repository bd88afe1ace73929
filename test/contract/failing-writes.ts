import { describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { McpSessionRecord } from "../../lib/stores/mcp-sessions.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { eventually } from "../support/eventually.ts";
import { createdClient, creationThatFails, OTHERS, recorded, settleBesides, sortedIds } from "./beside-failure.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import {
  apiClient,
  auditEvent,
  keyPair,
  MINUTE,
  mcpSession,
  mcpSessionEvent,
  newOrganizationId,
  tokenIssue,
} from "./records.ts";

/** One of many writes at a time fails: it undoes only itself, and the others are there after a restart. */
export function failingWritesContract(engine: StoreEngine): void {
  describe(`failing writes on ${engine.name}`, () => {
    const opened = openedStores(engine);

    describe(`API clients on ${engine.name}`, () => {
      test("of many creations at a time one of an id that exists fails, leaves nothing, and the others are kept", async () => {
        const taken = await createdClient(opened.stores);
        const organizationId = newOrganizationId();
        const clients = Array.from({ length: OTHERS }, () => apiClient({ organizationId }));
        const again = apiClient({ organizationId, clientId: taken.clientId, keyPairs: [keyPair(), keyPair()] });
        const events = await settleBesides(
          clients.map((client) => {
            const event = auditEvent({ type: "api_client.created", organizationId });
            return { event, write: ({ apiClients }: Stores) => apiClients.create(client, event) };
          }),
          ({ apiClients }) => apiClients.create(again, auditEvent({ type: "api_client.created", organizationId })),
          opened,
        );
        for (const client of clients) {
          expect(await opened.stores.apiClients.get(organizationId, client.clientId)).toEqual(client);
        }
        expect(await opened.stores.apiClients.get(taken.organizationId, taken.clientId)).toEqual(taken);
        const listed = await opened.stores.apiClients.list(organizationId, { limit: 100 });
        expect(idsOf(listed.items)).toEqual(idsOf(clients));
        expect(await recorded(opened.stores, organizationId, OTHERS)).toEqual(sortedIds(events));
      });
    });

    describe(`tokens on ${engine.name}`, () => {
      test("of many issues at a time one of a token that exists fails, burns no assertion id, and the others are kept", async () => {
        const client = await createdClient(opened.stores);
        const existing = tokenIssue(client, { assertionId: "first" });
        expect(await opened.stores.tokens.issue(existing)).toEqual({ outcome: "issued" });
        const requests = Array.from({ length: OTHERS }, (_, i) => tokenIssue(client, { assertionId: `other-${i}` }));
        const fresh = tokenIssue(client, { assertionId: "second" });
        const { shard } = existing.reference;
        const failing = { ...fresh, reference: existing.reference };
        const events = await settleBesides(
          requests.map((request) => ({ event: request.event, write: ({ tokens }: Stores) => tokens.issue(request) })),
          ({ tokens }) => tokens.issue(failing),
          opened,
        );
        for (const { reference, token } of [existing, ...requests]) {
          expect(await opened.stores.tokens.introspect(reference, token.issuedAt)).toEqual(token);
        }
        expect(await recorded(opened.stores, client.organizationId, OTHERS + 1, "token.issued")).toEqual(
          sortedIds([existing.event, ...events]),
        );
        const retried = { ...fresh, reference: { ...fresh.reference, shard } };
        expect(await opened.stores.tokens.issue(retried)).toEqual({ outcome: "issued" });
      });
    });

    describe(`single use on ${engine.name}`, () => {
      test("values that are consumed beside a failing write stay used", async () => {
        const keys = Array.from({ length: OTHERS }, () => crypto.randomUUID());
        const consume = ({ singleUse }: Stores, key: string) => singleUse.consume("test", key, Date.now() + MINUTE);
        const organizationId = newOrganizationId();
        await settleBesides(
          keys.map((key) => ({ write: (stores: Stores) => consume(stores, key) })),
          await creationThatFails(opened.stores, organizationId),
          opened,
        );
        for (const key of keys) expect(await consume(opened.stores, key)).toBe(false);
      });
    });

    describe(`sign-in on ${engine.name}`, () => {
      test("links and sessions that are made beside a failing write are kept", async () => {
        const now = Date.now();
        const hashes = Array.from({ length: OTHERS }, () => crypto.randomUUID());
        const link = (secretHash: string) => ({ secretHash, userId: "user_1", expiresAt: now + MINUTE });
        const session = (sessionHash: string) => ({
          ...{ sessionHash, userId: "user_1", expiresAt: now + MINUTE },
          ...seen,
        });
        const seen = { createdAt: now, lastSeenAt: now };
        await settleBesides(
          hashes.flatMap((hash) => [
            { write: ({ directory }: Stores) => directory.createSignInLink(link(hash)) },
            { write: ({ directory }: Stores) => directory.createBrowserSession(session(hash)) },
          ]),
          await creationThatFails(opened.stores, newOrganizationId()),
          opened,
        );
        for (const hash of hashes) {
          expect(await opened.stores.directory.getBrowserSession(hash)).toEqual(session(hash));
          expect(await opened.stores.directory.consumeSignInLink(hash, now)).toEqual(link(hash));
        }
      });
    });

    describe(`audit log on ${engine.name}`, () => {
      test("records that are written beside a failing write are kept, and the failed one's is none of them", async () => {
        const organizationId = newOrganizationId();
        const failing = await creationThatFails(opened.stores, organizationId);
        const events = Array.from({ length: OTHERS }, () => auditEvent({ organizationId }));
        await settleBesides(
          events.map((event) => ({ write: ({ auditLog }: Stores) => auditLog.append(event) })),
          failing,
          opened,
        );
        expect(await recorded(opened.stores, organizationId, OTHERS)).toEqual(sortedIds(events));
      });
    });

    describe(`agents' sessions on ${engine.name}`, () => {
      test("of many sessions that begin at a time one of a hash that exists fails, leaves nothing, and the others are kept", async () => {
        const taken = mcpSession();
        await opened.stores.mcpSessions.create(taken, mcpSessionEvent(taken, "session.started"));
        const organizationId = newOrganizationId();
        const sessions = Array.from({ length: OTHERS }, () => mcpSession({ organizationId }));
        const again = mcpSession({ organizationId, sessionHash: taken.sessionHash });
        const events = await settleBesides(
          sessions.map((session) => {
            const event = mcpSessionEvent(session, "session.started");
            return { event, write: ({ mcpSessions }: Stores) => mcpSessions.create(session, event) };
          }),
          ({ mcpSessions }) => mcpSessions.create(again, mcpSessionEvent(again, "session.started")),
          opened,
        );
        for (const session of [taken, ...sessions]) {
          expect(await opened.stores.mcpSessions.use(session, session.startedAt)).toEqual(session);
        }
        expect(await opened.stores.mcpSessions.use(again, again.startedAt)).toBeUndefined();
        const listed = await eventually(
          () => opened.stores.mcpSessions.list(organizationId, again.startedAt, { limit: 100 }),
          ({ items }) => items.length >= OTHERS,
        );
        expect(hashesOf(listed.items)).toEqual(hashesOf(sessions));
        expect(await recorded(opened.stores, organizationId, OTHERS)).toEqual(sortedIds(events));
      });
    });
  });
}

function idsOf(clients: readonly ApiClientRecord[]): readonly string[] {
  return clients.map(({ clientId }) => clientId).sort();
}

function hashesOf(sessions: readonly McpSessionRecord[]): readonly string[] {
  return sessions.map(({ sessionHash }) => sessionHash).sort();
}
