import { describe, expect, test } from "vitest";
import type { ApiClientChange, ApiClientRecord } from "../../lib/stores/api-clients.ts";
import type { TokenIssue } from "../../lib/stores/tokens.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { apiClient, auditEvent, keyPair, tokenIssue } from "./records.ts";

const CHANGED = { outcome: "grant_changed" };
const ISSUED = { outcome: "issued" };
/** More than a client has lanes, so that each is asked. */
const PARALLEL = 50;

/** What every implementation of `ApiClients.update` and `Tokens.issue` does about grants that change. */
export function grantsContract(engine: StoreEngine): void {
  describe(`changing grants on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const created = async (fields: Partial<ApiClientRecord> = {}) => {
      const client = apiClient({ grantRevision: 1, ...fields });
      await opened.stores.apiClients.create(client, eventOf(client));
      return client;
    };
    const changed = async (client: ApiClientRecord, change: ApiClientChange) => {
      const result = await opened.stores.apiClients.update(client, change, Date.now(), eventOf(client));
      if (result.outcome !== "done") throw new Error(`the update was ${result.outcome}`);
      return result.value;
    };
    const issue = (client: ApiClientRecord, assertionId?: string) =>
      opened.stores.tokens.issue(tokenIssue(client, { ...(assertionId !== undefined && { assertionId }) }));
    const issues = (client: ApiClientRecord) => Array.from({ length: PARALLEL }, () => issue(client));
    const active = async ({ reference, token }: TokenIssue) =>
      (await opened.stores.tokens.introspect(reference, token.issuedAt)) !== undefined;

    test("only a change of what is granted counts the grant revision up", async () => {
      const client = await created({ scopes: ["a", "b"], resources: ["https://one.example", "https://two.example"] });
      const changes: readonly [ApiClientChange, number][] = [
        [{ name: "Another name", description: "and a description" }, 1],
        [{ scopes: ["a", "b"], resources: ["https://one.example", "https://two.example"] }, 1],
        [{ scopes: ["b", "a"], resources: ["https://two.example", "https://one.example"] }, 1],
        [{ scopes: ["a"] }, 2],
        [{ scopes: ["a", "c"] }, 3],
        [{ resources: [] }, 4],
        [{ scopes: [], resources: ["https://one.example"] }, 5],
      ];
      for (const [change, grantRevision] of changes) {
        expect([change, (await changed(client, change)).grantRevision]).toEqual([change, grantRevision]);
      }
      const { apiClients } = opened.stores;
      expect(await apiClients.get(client.organizationId, client.clientId)).toMatchObject({
        scopes: [],
        revision: 8,
        grantRevision: 5,
      });
      const { record } = await apiClients.getForVerification(client.clientId, { authoritative: true });
      expect(record?.grantRevision).toBe(5);
    });

    test.each<ApiClientChange>([{ scopes: ["audit:read"] }, { scopes: ["more"] }, { resources: [] }])(
      "8. once the change %j resolved, nothing is issued on the strength of the record before",
      async (change) => {
        const client = await created();
        expect(await issue(client)).toEqual(ISSUED);
        const next = await changed(client, change);
        expect(await Promise.all(issues(client))).toEqual(Array(PARALLEL).fill(CHANGED));
        expect(await Promise.all(issues(next))).toEqual(Array(PARALLEL).fill(ISSUED));
      },
    );

    test("8. of 50 issues that meet a change each is issued or told of it, and none after it is issued", async () => {
      const client = await created();
      const requests = Array.from({ length: PARALLEL }, () => tokenIssue(client));
      const early = requests.map((request) => opened.stores.tokens.issue(request));
      const next = await changed(client, { scopes: ["books:read"] });
      const late = await Promise.all(issues(client));
      expect(late).toEqual(Array(PARALLEL).fill(CHANGED));
      const outcomes = (await Promise.all(early)).map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome !== "issued" && outcome !== "grant_changed")).toEqual([]);
      const isActive = await Promise.all(requests.map(active));
      expect(isActive).toEqual(outcomes.map((outcome) => outcome === "issued"));
      expect(await issue(next)).toEqual(ISSUED);
    });

    test("5. an assertion that met a change is not used up, and then counts once", async () => {
      const client = await created();
      const next = await changed(client, { scopes: [] });
      expect(await issue(client, "one")).toEqual(CHANGED);
      expect(await issue(client, "one")).toEqual(CHANGED);
      const results = await Promise.all(Array.from({ length: PARALLEL }, () => issue(next, "one")));
      expect(results.filter(({ outcome }) => outcome === "issued")).toHaveLength(1);
      expect(await issue(next, "one")).toEqual({ outcome: "refused", reason: "assertion_used" });
    });

    test("what met a change leaves neither a token nor an audit record", async () => {
      const client = await created();
      const next = await changed(client, { resources: [] });
      const refused = tokenIssue(client);
      expect(await opened.stores.tokens.issue(refused)).toEqual(CHANGED);
      expect(await active(refused)).toBe(false);
      const issued = tokenIssue(next);
      expect(await opened.stores.tokens.issue(issued)).toEqual(ISSUED);
      const filter = { organizationId: client.organizationId, type: "token.issued" };
      const { items } = await eventually(
        () => opened.stores.auditLog.query(filter, { limit: 10 }),
        (page) => page.items.length > 0,
      );
      expect(items.map(({ id }) => id)).toEqual([issued.event.id]);
    });

    test("every earlier grant revision is refused, not only the last one", async () => {
      const first = await created();
      const second = await changed(first, { scopes: ["one"] });
      const third = await changed(second, { scopes: ["two"] });
      expect(await issue(first)).toEqual(CHANGED);
      expect(await issue(second)).toEqual(CHANGED);
      expect(await issue(third)).toEqual(ISSUED);
    });

    test("other changes refuse no token, and a change refuses those of its client only", async () => {
      const client = await created({ keyPairs: [keyPair(), keyPair()] });
      const other = await created({ organizationId: client.organizationId });
      await changed(client, { name: "Renamed" });
      await opened.stores.apiClients.addKeyPair(client, keyPair(), eventOf(client));
      const second = client.keyPairs[1]?.keyPairId ?? "";
      await opened.stores.apiClients.revokeKeyPair(client, second, Date.now(), eventOf(client));
      expect(await issue(client)).toEqual(ISSUED);
      await changed(client, { scopes: [] });
      expect(await issue(other)).toEqual(ISSUED);
    });

    test("tokens that were issued before a change stay active", async () => {
      const client = await created();
      const before = tokenIssue(client);
      await opened.stores.tokens.issue(before);
      await changed(client, { scopes: [], resources: [] });
      expect(await active(before)).toBe(true);
    });

    test("a stale change of grants refuses no token", async () => {
      const client = await created();
      const target = { ...client, expectedRevision: 7 };
      const result = await opened.stores.apiClients.update(target, { scopes: [] }, Date.now(), eventOf(client));
      expect(result).toEqual({ outcome: "stale", revision: 1 });
      expect(await issue(client)).toEqual(ISSUED);
    });

    test("8. a revoked key and a deleted client are refused as such, whatever was granted", async () => {
      const client = await created();
      await changed(client, { scopes: [] });
      const first = client.keyPairs[0]?.keyPairId ?? "";
      await opened.stores.apiClients.revokeKeyPair(client, first, Date.now(), eventOf(client));
      expect(await issue(client)).toEqual({ outcome: "refused", reason: "key_revoked" });
      await opened.stores.apiClients.delete(client, { revokeTokens: false }, eventOf(client));
      expect(await issue(client)).toEqual({ outcome: "refused", reason: "client_deleted" });
    });

    test("a change of grants is remembered over a restart", async () => {
      const client = await created();
      const next = await changed(client, { scopes: [] });
      await opened.reopen();
      expect(await issue(client)).toEqual(CHANGED);
      expect(await issue(next)).toEqual(ISSUED);
    });
  });
}

function eventOf({ organizationId }: ApiClientRecord) {
  return auditEvent({ organizationId });
}
