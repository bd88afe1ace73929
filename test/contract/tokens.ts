import { describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { EXPIRY_MARGIN } from "../../lib/stores/expiry-margin.ts";
import type { AssertionUse, TokenIssue } from "../../lib/stores/tokens.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { apiClient, auditEvent, type IssueOptions, keyPair, MINUTE, tokenIssue } from "./records.ts";

/** What every implementation of `Tokens` does, and how changes of API clients reach it. */
export function tokensContract(engine: StoreEngine): void {
  describe(`tokens on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const createdClient = async () => {
      const client = apiClient({ keyPairs: [keyPair(), keyPair()] });
      await opened.stores.apiClients.create(client, eventOf(client));
      return client;
    };
    const issue = async (client: ApiClientRecord, options?: IssueOptions) => {
      const request = tokenIssue(client, options);
      return { ...request, result: await opened.stores.tokens.issue(request) };
    };
    const revokeFirstKey = (client: ApiClientRecord) =>
      opened.stores.apiClients.revokeKeyPair(client, client.keyPairs[0]?.keyPairId ?? "", Date.now(), eventOf(client));
    const remove = (client: ApiClientRecord, revokeTokens: boolean) =>
      opened.stores.apiClients.delete(client, { revokeTokens }, eventOf(client));
    const issuedEvents = async (client: ApiClientRecord) =>
      (
        await opened.stores.auditLog.query(
          { organizationId: client.organizationId, type: "token.issued" },
          { limit: 100 },
        )
      ).items;

    test("an issued token reads back as it was given", async () => {
      const { result, reference, token } = await issue(await createdClient());
      expect(result).toEqual({ outcome: "issued" });
      expect(await opened.stores.tokens.introspect(reference, token.issuedAt)).toEqual(token);
    });

    test("an unknown token is not found, whatever its shard", async () => {
      const { reference, token } = await issue(await createdClient());
      const unknown = { ...reference, hash: `${reference.hash.slice(0, -4)}AAAA` };
      expect(await opened.stores.tokens.introspect(unknown, token.issuedAt)).toBeUndefined();
      expect(await opened.stores.tokens.revoke(unknown, token.issuedAt, auditEvent())).toBe(false);
    });

    test("a token is active until the millisecond before its expiry, by the caller's clock", async () => {
      const { reference, token } = await issue(await createdClient(), { lifetime: MINUTE });
      expect(await opened.stores.tokens.introspect(reference, token.expiresAt - 1)).toEqual(token);
      expect(await opened.stores.tokens.introspect(reference, token.expiresAt)).toBeUndefined();
      expect(await opened.stores.tokens.introspect(reference, token.expiresAt - MINUTE)).toEqual(token);
    });

    test("the event of an issued token becomes readable, once", async () => {
      const client = await createdClient();
      const { event } = await issue(client);
      expect(
        await eventually(
          () => issuedEvents(client),
          (events) => events.length > 0,
        ),
      ).toEqual([event]);
    });

    test("5. of 50 parallel issues with one assertion id one succeeds and the others are refused", async () => {
      const client = await createdClient();
      const issues = await Promise.all(Array.from({ length: 50 }, () => issue(client, { assertionId: "same" })));
      expect(issues.filter(({ result }) => result.outcome === "issued")).toHaveLength(1);
      const refused = issues.filter(({ result }) => result.outcome === "refused");
      for (const { result } of refused) expect(result).toEqual({ outcome: "refused", reason: "assertion_used" });
      const active = await Promise.all(
        issues.map(({ reference, token }) => opened.stores.tokens.introspect(reference, token.issuedAt)),
      );
      expect(active.filter((token) => token !== undefined)).toHaveLength(1);
      const events = await eventually(
        () => issuedEvents(client),
        (found) => found.length > 0,
      );
      expect(events).toHaveLength(1);
    });

    test("5. the same assertion id of another client is fine", async () => {
      const results = await Promise.all(
        [await createdClient(), await createdClient()].map((client) => issue(client, { assertionId: "shared" })),
      );
      expect(results.map(({ result }) => result.outcome)).toEqual(["issued", "issued"]);
    });

    test("5. a refused issue burns no assertion id and leaves no token", async () => {
      const client = await createdClient();
      await revokeFirstKey(client);
      const refused = await issue(client, { assertionId: "kept" });
      expect(refused.result).toEqual({ outcome: "refused", reason: "key_revoked" });
      expect(await opened.stores.tokens.introspect(refused.reference, refused.token.issuedAt)).toBeUndefined();
      const withOtherKey = { ...client, keyPairs: client.keyPairs.slice(1) };
      expect((await issue(withOtherKey, { assertionId: "kept" })).result.outcome).toBe("issued");
    });

    test("5. a used assertion id stays used up to its expiry by a clock a minute behind", async () => {
      const client = await createdClient();
      const expiry = { assertionId: "used", assertionExpiresAt: Date.now() + 2 * MINUTE };
      expect((await issue(client, expiry)).result.outcome).toBe("issued");
      for (const issuedAt of [Date.now() - MINUTE, Date.now() + MINUTE]) {
        const again = await issue(client, { ...expiry, issuedAt });
        expect(again.result).toEqual({ outcome: "refused", reason: "assertion_used" });
      }
    });

    test("5. a used assertion id stays used when its expiry passes between the claims' check and the store's", async () => {
      const client = await createdClient();
      const expiry = Date.now() + 2 * MINUTE;
      const again = (assertionId: string, issuedAt: number) =>
        tokenIssue(client, { assertionId, assertionExpiresAt: expiry, issuedAt });
      for (const id of ["issued", "accepted"]) {
        expect(await opened.stores.tokens.issue(await again(id, expiry - 1))).toEqual({ outcome: "issued" });
      }
      const used = { outcome: "refused", reason: "assertion_used" };
      for (const now of [expiry, expiry + 1, expiry + EXPIRY_MARGIN - 1]) {
        expect(await opened.stores.tokens.issue(await again("issued", now))).toEqual(used);
        expect(await opened.stores.tokens.acceptAssertion(useOf(await again("accepted", now)))).toEqual(used);
      }
      const forgotten = expiry + EXPIRY_MARGIN;
      expect(await opened.stores.tokens.issue(await again("issued", forgotten))).toEqual({ outcome: "issued" });
      expect(await opened.stores.tokens.acceptAssertion(useOf(await again("accepted", forgotten)))).toEqual({
        outcome: "accepted",
      });
    });

    test("5. an assertion id counts once over accepting and issuing, in either order", async () => {
      const client = await createdClient();
      const used = tokenIssue(client, { assertionId: "accepted-first" });
      expect(await opened.stores.tokens.acceptAssertion(useOf(used))).toEqual({ outcome: "accepted" });
      expect(await opened.stores.tokens.issue(used)).toEqual({ outcome: "refused", reason: "assertion_used" });
      const { result, ...issued } = await issue(client, { assertionId: "issued-first" });
      expect(result).toEqual({ outcome: "issued" });
      expect(await opened.stores.tokens.acceptAssertion(useOf(issued))).toEqual({
        outcome: "refused",
        reason: "assertion_used",
      });
    });

    test("5. of 50 parallel acceptances of one assertion id exactly one succeeds", async () => {
      const use = useOf(tokenIssue(await createdClient(), { assertionId: "accepted-50-times" }));
      const results = await Promise.all(Array.from({ length: 50 }, () => opened.stores.tokens.acceptAssertion(use)));
      expect(results.filter(({ outcome }) => outcome === "accepted")).toHaveLength(1);
    });

    test("8. an assertion of a revoked key or a deleted client is not accepted", async () => {
      const client = await createdClient();
      const use = useOf(tokenIssue(client));
      expect(await opened.stores.tokens.acceptAssertion(use)).toEqual({ outcome: "accepted" });
      await revokeFirstKey(client);
      expect(await opened.stores.tokens.acceptAssertion(use)).toEqual({ outcome: "refused", reason: "key_revoked" });
      await remove(client, false);
      expect(await opened.stores.tokens.acceptAssertion(use)).toEqual({ outcome: "refused", reason: "client_deleted" });
    });

    test("many issues of one client at a time all succeed", async () => {
      const client = await createdClient();
      const issues = await Promise.all(
        Array.from({ length: 40 }, (_, i) => issue(client, { assertionId: `assertion-${i}` })),
      );
      expect(issues.every(({ result }) => result.outcome === "issued")).toBe(true);
    });

    test("a revoked token is inactive at once, and revoking it again reports that nothing was done", async () => {
      const client = await createdClient();
      const { reference, token } = await issue(client);
      const sibling = await issue(client);
      const event = auditEvent({ type: "token.revoked", organizationId: client.organizationId });
      const again = auditEvent({ type: "token.revoked", organizationId: client.organizationId });
      expect(await opened.stores.tokens.revoke(reference, token.issuedAt, event)).toBe(true);
      expect(await opened.stores.tokens.introspect(reference, token.issuedAt)).toBeUndefined();
      expect(await opened.stores.tokens.revoke(reference, token.issuedAt, again)).toBe(false);
      expect(await opened.stores.tokens.introspect(sibling.reference, token.issuedAt)).toEqual(sibling.token);
      const revoked = await eventually(
        () =>
          opened.stores.auditLog.query({ organizationId: client.organizationId, type: "token.revoked" }, { limit: 10 }),
        ({ items }) => items.length > 0,
      );
      expect(revoked.items).toEqual([event]);
    });

    test("of 20 parallel revocations of one token one reports the change", async () => {
      const { reference, token } = await issue(await createdClient());
      const results = await Promise.all(
        Array.from({ length: 20 }, () => opened.stores.tokens.revoke(reference, token.issuedAt, auditEvent())),
      );
      expect(results.filter(Boolean)).toHaveLength(1);
    });

    test("an expired token cannot be revoked", async () => {
      const { reference, token } = await issue(await createdClient(), { lifetime: MINUTE });
      expect(await opened.stores.tokens.revoke(reference, token.expiresAt, auditEvent())).toBe(false);
    });

    test("8. once a key's revocation resolves, no issue for it succeeds, on any lane, and issued tokens stay", async () => {
      const client = await createdClient();
      const before = await issue(client);
      const racing = Array.from({ length: 20 }, (_, i) => issue(client, { assertionId: `racing-${i}` }));
      const revocation = revokeFirstKey(client);
      await revocation;
      const after = await Promise.all(
        Array.from({ length: 24 }, (_, i) => issue(client, { assertionId: `after-${i}` })),
      );
      for (const { result } of after) expect(result).toEqual({ outcome: "refused", reason: "key_revoked" });
      for (const { result, reference, token } of await Promise.all(racing)) {
        const found = await opened.stores.tokens.introspect(reference, token.issuedAt);
        expect(found).toEqual(result.outcome === "issued" ? token : undefined);
      }
      expect(await opened.stores.tokens.introspect(before.reference, before.token.issuedAt)).toEqual(before.token);
    });

    test("8. once a client's deletion resolves, no issue for it succeeds, and issued tokens stay", async () => {
      const client = await createdClient();
      const before = await issue(client);
      await remove(client, false);
      const after = await Promise.all(
        Array.from({ length: 24 }, (_, i) => issue(client, { assertionId: `after-${i}` })),
      );
      for (const { result } of after) expect(result).toEqual({ outcome: "refused", reason: "client_deleted" });
      expect(await opened.stores.tokens.introspect(before.reference, before.token.issuedAt)).toEqual(before.token);
    });

    test("8. a deletion that revokes tokens makes every token of the client inactive", async () => {
      const client = await createdClient();
      const other = await issue(await createdClient());
      const issues = await Promise.all(
        Array.from({ length: 24 }, (_, i) => issue(client, { assertionId: `lane-${i}` })),
      );
      await remove(client, true);
      for (const { reference, token } of issues) {
        expect(await opened.stores.tokens.introspect(reference, token.issuedAt)).toBeUndefined();
      }
      const [first] = issues;
      if (first === undefined) throw new Error("nothing was issued");
      expect(await opened.stores.tokens.revoke(first.reference, first.token.issuedAt, auditEvent())).toBe(false);
      expect(await opened.stores.tokens.introspect(other.reference, other.token.issuedAt)).toEqual(other.token);
    });

    test("tokens, used assertion ids and revocations survive a restart", async () => {
      const client = await createdClient();
      const kept = await issue(client, { assertionId: "kept" });
      const revoked = await issue(client);
      await opened.stores.tokens.revoke(revoked.reference, revoked.token.issuedAt, auditEvent());
      await revokeFirstKey(client);
      await opened.reopen();
      expect(await opened.stores.tokens.introspect(kept.reference, kept.token.issuedAt)).toEqual(kept.token);
      expect(await opened.stores.tokens.introspect(revoked.reference, revoked.token.issuedAt)).toBeUndefined();
      expect((await issue(client)).result).toEqual({ outcome: "refused", reason: "key_revoked" });
      const otherKey = { ...client, keyPairs: client.keyPairs.slice(1) };
      expect((await issue(otherKey, { assertionId: "kept" })).result).toEqual({
        outcome: "refused",
        reason: "assertion_used",
      });
    });
  });
}

function eventOf({ organizationId }: ApiClientRecord) {
  return auditEvent({ organizationId });
}

/** The same assertion, used for something other than a token. */
function useOf({ reference, token, assertionId }: TokenIssue): AssertionUse {
  const { clientId, keyPairId, issuedAt } = token;
  return {
    shard: reference.shard,
    clientId,
    keyPairId,
    now: issuedAt,
    ...(assertionId !== undefined && { assertionId }),
  };
}
