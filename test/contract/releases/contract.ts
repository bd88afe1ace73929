import { beforeEach, describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../../lib/stores/api-clients.ts";
import { eventually } from "../../support/eventually.ts";
import {
  apiClient,
  auditEvent,
  keyPair,
  MINUTE,
  mcpSession,
  mcpSessionEvent,
  newOrganizationId,
  tokenIssue,
  upstreamSession,
} from "../records.ts";
import { credentialReleasesContract } from "./credentials.ts";
import type { PreviousClient, Releases, ReleasesEngine } from "./engine.ts";
import { memberReleasesContract } from "./members.ts";
import { signInReleasesContract } from "./sign-ins.ts";

const HOUR = 3_600_000;

/**
 * This release and the one before it on the same data, in turns, so that an upgrade and a way back lose nothing. Where
 * both run at once, they do.
 */
export function releasesContract(engine: ReleasesEngine): void {
  signInReleasesContract(engine);
  memberReleasesContract(engine);
  credentialReleasesContract(engine);
  describe(`two releases on ${engine.name}`, () => {
    let releases: Releases;
    beforeEach(async () => {
      releases = await engine.open();
      return () => releases.close();
    });

    describe(`API clients on ${engine.name}`, () => {
      test("records of both releases are read and changed by both, and neither drops what it does not know", async () => {
        const old = previousClient();
        await (await releases.previous()).createClient(old);

        const { apiClients } = await releases.current();
        const upgraded = { ...old, grantRevision: 1 };
        expect(await apiClients.get(old.organizationId, old.clientId)).toEqual(upgraded);
        expect((await apiClients.list(old.organizationId, { limit: 10 })).items).toEqual([upgraded]);
        const verification = await apiClients.getForVerification(old.clientId, { authoritative: true });
        expect(verification.record).toMatchObject({
          grantRevision: 1,
          keyPairs: [{ fingerprint: fingerprintOf(old) }, {}],
        });
        const created = apiClient();
        await apiClients.create(created, eventOf(created));
        const change = { scopes: ["audit:read"] };
        const changed = { ...upgraded, ...change, updatedAt: 2, revision: 2, grantRevision: 2 };
        expect(await apiClients.update(old, change, 2, eventOf(old))).toEqual({ outcome: "done", value: changed });

        await apiClients.recordUse({ clientId: old.clientId, keyPairId: firstKeyOf(old), hour: HOUR });
        await eventually(
          () => apiClients.get(old.organizationId, old.clientId),
          (found) => found?.keyPairs[0]?.lastUsedAt === HOUR,
        );

        const previous = await releases.previous();
        expect(await previous.client(created.clientId)).toMatchObject(previousOf(created));
        expect(await previous.client(old.clientId)).toMatchObject(previousOf(changed));
        await previous.rename(old.clientId, "Renamed");
        const another = previousClient();
        await previous.createClient(another);

        const again = (await releases.current()).apiClients;
        const [used, unused] = old.keyPairs;
        const keyPairs = [{ ...used, lastUsedAt: HOUR }, unused];
        const renamed = { ...changed, name: "Renamed", revision: 3, keyPairs };
        expect(await again.get(old.organizationId, old.clientId)).toEqual(renamed);
        expect(await again.get(another.organizationId, another.clientId)).toEqual({ ...another, grantRevision: 1 });
        expect(await again.get(created.organizationId, created.clientId)).toEqual(created);
        const found = async ({ organizationId }: PreviousClient, search: string) =>
          (await again.list(organizationId, { limit: 10, search })).items.map(({ clientId }) => clientId);
        expect(await found(old, "renamed")).toEqual([old.clientId]);
        expect(await found(another, another.name.toLowerCase())).toEqual([another.clientId]);
      });
    });

    describe(`tokens on ${engine.name}`, () => {
      test("tokens of one release are active for the other, and an assertion id of one is used for the other", async () => {
        const [old, next] = [apiClient(), apiClient()];
        const [first, second] = [tokenIssue(old, { assertionId: "one" }), tokenIssue(next, { assertionId: "two" })];
        const before = await releases.previous();
        for (const client of [old, next]) await before.createClient(previousOf(client));
        expect(await before.issue(first)).toBe(true);

        const { tokens } = await releases.current();
        expect(await tokens.introspect(first.reference, first.token.issuedAt)).toEqual(first.token);
        expect(await tokens.issue(tokenIssue(old, { assertionId: "one" }))).toEqual({
          outcome: "refused",
          reason: "assertion_used",
        });
        expect(await tokens.issue(second)).toEqual({ outcome: "issued" });
        expect(await tokens.revoke(first.reference, first.token.issuedAt, eventOf(old))).toBe(true);

        const previous = await releases.previous();
        expect(await previous.introspect(second.reference, second.token.issuedAt)).toEqual(second.token);
        expect(await previous.introspect(first.reference, first.token.issuedAt)).toBeUndefined();
        expect(await previous.issue(tokenIssue(next, { assertionId: "two" }))).toBe(false);
      });

      test("8. a key that one release revoked and a client that it deleted issue nothing in the other", async () => {
        const clients = Array.from({ length: 4 }, () => apiClient({ keyPairs: [keyPair(), keyPair()] }));
        const [revokedBefore, deletedBefore, revokedHere, deletedHere] = clients as [
          ApiClientRecord,
          ApiClientRecord,
          ApiClientRecord,
          ApiClientRecord,
        ];
        const before = await releases.previous();
        for (const client of clients) await before.createClient(previousOf(client));
        await before.revokeKeyPair(revokedBefore.clientId, firstKeyOf(revokedBefore));
        await before.deleteClient(deletedBefore.clientId);

        const { apiClients, tokens } = await releases.current();
        const refused = (reason: string) => ({ outcome: "refused", reason });
        for (let lane = 0; lane < 16; lane++) {
          const assertion = { assertionId: `lane-${lane}` };
          expect(await tokens.issue(tokenIssue(revokedBefore, assertion))).toEqual(refused("key_revoked"));
          expect(await tokens.issue(tokenIssue(deletedBefore, assertion))).toEqual(refused("client_deleted"));
        }
        const event = eventOf(revokedHere);
        expect((await apiClients.revokeKeyPair(revokedHere, firstKeyOf(revokedHere), 2, event)).outcome).toBe("done");
        const removal = await apiClients.delete(deletedHere, { revokeTokens: true }, eventOf(deletedHere));
        expect(removal.outcome).toBe("done");

        const previous = await releases.previous();
        for (let lane = 0; lane < 16; lane++) {
          const assertion = { assertionId: `lane-${lane}` };
          expect(await previous.issue(tokenIssue(revokedHere, assertion))).toBe(false);
          expect(await previous.issue(tokenIssue(deletedHere, assertion))).toBe(false);
        }
      });
    });

    describe(`single use on ${engine.name}`, () => {
      test("a value that one release consumed is used for the other", async () => {
        const expiresAt = Date.now() + MINUTE;
        expect(await (await releases.previous()).consume("old", expiresAt)).toBe(true);
        const { singleUse } = await releases.current();
        expect(await singleUse.consume("test", "old", expiresAt)).toBe(false);
        expect(await singleUse.consume("test", "new", expiresAt)).toBe(true);
        expect(await (await releases.previous()).consume("new", expiresAt)).toBe(false);
      });
    });

    describe(`sign-in on ${engine.name}`, () => {
      test("people, links and sessions of one release are there for the other", async () => {
        const now = Date.now();
        const userId = `user_${crypto.randomUUID()}`;
        const organization = { organizationId: newOrganizationId(), name: "Example", createdAt: now };
        const person = { userId, email: "owner@example.com", createdAt: now };
        const link = (secretHash: string) => ({ secretHash, userId, expiresAt: now + MINUTE });
        const session = (sessionHash: string) => ({ ...seen, sessionHash, userId, expiresAt: now + 60 * MINUTE });
        const seen = { createdAt: now, lastSeenAt: now };
        const before = await releases.previous();
        await before.createOwner({ organization, person });
        await before.createLink(link("old"));
        await before.createSession(session("old"));

        const { directory } = await releases.current();
        const upgraded = { ...organization, revision: 1 };
        expect(await directory.firstOrganization()).toEqual(upgraded);
        expect(await directory.findPersonByEmail(person.email)).toEqual(person);
        expect(await directory.memberships(userId)).toHaveLength(1);
        expect(await directory.createFirstOwner({ organization: upgraded, person }, auditEvent())).toBe(false);
        expect(await directory.getBrowserSession("old")).toEqual(session("old"));
        expect(await directory.consumeSignInLink("old", now)).toEqual(link("old"));
        await directory.createSignInLink(link("new"));
        await directory.createBrowserSession(session("new"));

        const previous = await releases.previous();
        expect(await previous.person(userId)).toEqual(person);
        expect(await previous.session("new")).toEqual(session("new"));
        expect(await previous.consumeLink("old", now)).toBe(false);
        expect(await previous.consumeLink("new", now)).toBe(true);
        const later = await releases.current();
        expect(await later.directory.consumeSignInLink("new", now)).toBeUndefined();
      });
    });

    describe(`audit log on ${engine.name}`, () => {
      test("records of one release are read and completed by the other", async () => {
        const organizationId = newOrganizationId();
        const now = Date.now();
        const old = auditEvent({ organizationId, type: "tool.invoked", time: now });
        await (await releases.previous()).begin(old);
        const { auditLog } = await releases.current();
        expect((await auditLog.query({ organizationId }, { limit: 10 })).items).toEqual([
          { ...old, outcome: "unknown" },
        ]);
        await auditLog.complete(old, { outcome: "success", durationMs: 3 });
        const next = auditEvent({ organizationId, time: now + 1 });
        await auditLog.append(next);
        const previous = await releases.previous();
        expect(await previous.event(old)).toEqual({ ...old, outcome: "success", durationMs: 3 });
        expect(await previous.event(next)).toEqual(next);
      });
    });

    describe(`agents' sessions on ${engine.name}`, () => {
      test("sessions of this release are there again after the one before it, which knows of none, has written", async () => {
        const [kept, ended] = [mcpSession(), mcpSession()];
        await (await releases.previous()).createClient(previousClient());
        const { mcpSessions } = await releases.current();
        for (const session of [kept, ended]) {
          await mcpSessions.create(session, mcpSessionEvent(session, "session.started"));
        }
        const end = mcpSessionEvent(ended, "session.terminated");
        expect(await mcpSessions.end(ended.sessionHash, ended.startedAt, end)).toBe(true);
        const upstream = upstreamSession();
        await mcpSessions.setUpstream(kept, "library", upstream, undefined, kept.startedAt);

        await (await releases.previous()).createClient(previousClient());

        const again = (await releases.current()).mcpSessions;
        expect(await again.use(kept, kept.startedAt)).toEqual({ ...kept, upstreams: { library: upstream } });
        expect(await again.use(ended, ended.startedAt)).toBeUndefined();
      });
    });
  });
}

function previousClient(): PreviousClient {
  return previousOf(apiClient({ keyPairs: [keyPair(), keyPair()] }));
}

function previousOf({ grantRevision: _, ...client }: ApiClientRecord): PreviousClient {
  return client;
}

function firstKeyOf({ keyPairs }: PreviousClient): string {
  return keyPairs[0]?.keyPairId ?? "";
}

function fingerprintOf({ keyPairs }: PreviousClient): string | undefined {
  return keyPairs[0]?.fingerprint;
}

function eventOf({ organizationId }: Pick<ApiClientRecord, "organizationId">) {
  return auditEvent({ organizationId });
}
