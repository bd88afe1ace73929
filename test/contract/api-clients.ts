import { describe, expect, test } from "vitest";
import type { ApiClientRecord, ApiClientSort, ChangeTarget } from "../../lib/stores/api-clients.ts";
import type { PageRequest } from "../../lib/stores/paging.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { everyPage } from "./every-page.ts";
import { apiClient, auditEvent, keyPair, newOrganizationId } from "./records.ts";

/** Some of them are numbers to a lenient reader. */
const NO_CURSORS = ["", "x", "-1", "1e300", "Infinity", "NaN", "0x7fffffff", "9".repeat(16), "1 OR 1=1", "\u0000"];

/** What every implementation of `ApiClients` does. Tokens of deleted clients and revoked keys are in `tokens.ts`. */
export function apiClientsContract(engine: StoreEngine): void {
  describe(`API clients on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const created = async (fields: Partial<ApiClientRecord> = {}) => {
      const client = apiClient(fields);
      await opened.stores.apiClients.create(client, eventOf(client));
      return client;
    };
    /** Of a new organization, one a millisecond. */
    const createdInOrder = async (clients: readonly Partial<ApiClientRecord>[]) => {
      const organizationId = newOrganizationId();
      const from = Date.now();
      for (const [index, fields] of clients.entries()) {
        await created({ ...fields, organizationId, createdAt: from + index });
      }
      return organizationId;
    };
    const read = ({ organizationId, clientId }: ChangeTarget) => opened.stores.apiClients.get(organizationId, clientId);
    const verification = async (clientId: string) =>
      (await opened.stores.apiClients.getForVerification(clientId, { authoritative: true })).record;

    test("a created client reads back as it was given, also for verification", async () => {
      const client = await created({ description: "Exports the day's orders" });
      expect(await read(client)).toEqual(client);
      const { clientId, organizationId, name, scopes, resources, grantRevision } = client;
      const keyPairs = client.keyPairs.map(({ keyPairId, fingerprint, publicKey }) => ({
        keyPairId,
        fingerprint,
        publicKey,
      }));
      const answer = await opened.stores.apiClients.getForVerification(clientId, { authoritative: true });
      expect(answer).toEqual({
        authoritative: true,
        record: { clientId, organizationId, name, scopes, resources, grantRevision, keyPairs },
      });
    });

    test("an id that was asked for in vain can be created afterwards", async () => {
      const client = apiClient();
      expect((await opened.stores.apiClients.getForVerification(client.clientId)).record).toBeUndefined();
      await opened.stores.apiClients.create(client, eventOf(client));
      expect((await verification(client.clientId))?.clientId).toBe(client.clientId);
    });

    test("another organization neither reads nor changes a client", async () => {
      const client = await created();
      const foreign = { organizationId: newOrganizationId(), clientId: client.clientId };
      const event = eventOf(foreign);
      const [first] = client.keyPairs;
      expect(await read(foreign)).toBeUndefined();
      expect(await opened.stores.apiClients.update(foreign, { name: "Mine" }, Date.now(), event)).toEqual(NOT_FOUND);
      expect(await opened.stores.apiClients.addKeyPair(foreign, keyPair(), event)).toEqual(NOT_FOUND);
      expect(await opened.stores.apiClients.revokeKeyPair(foreign, first?.keyPairId ?? "", Date.now(), event)).toEqual(
        NOT_FOUND,
      );
      expect(await opened.stores.apiClients.delete(foreign, { revokeTokens: true }, event)).toEqual(NOT_FOUND);
      expect((await opened.stores.apiClients.list(foreign.organizationId, { limit: 10 })).items).toEqual([]);
      expect(await read(client)).toEqual(client);
    });

    test.each(NO_CURSORS)("the text %j, which is no cursor, lists from the beginning", async (cursor) => {
      const organizationId = newOrganizationId();
      const { clientId } = await created({ organizationId });
      const page = await opened.stores.apiClients.list(organizationId, { limit: 10, cursor });
      expect(page.items.map((client) => client.clientId)).toEqual([clientId]);
      expect(page.nextCursor).toBeUndefined();
    });

    test.each<readonly [ApiClientSort | undefined, readonly string[]]>([
      [undefined, ["beta", "Émile", "alpha", "Beta", "Zeta"]],
      ["-createdAt", ["beta", "Émile", "alpha", "Beta", "Zeta"]],
      ["createdAt", ["Zeta", "Beta", "alpha", "Émile", "beta"]],
      ["name", ["alpha", "Beta", "beta", "Zeta", "Émile"]],
      ["-name", ["Émile", "Zeta", "beta", "Beta", "alpha"]],
    ])("a list in the order of %s is paged, counted and holds one organization's clients only", async (sort, names) => {
      const organizationId = await createdInOrder(["Zeta", "Beta", "alpha", "Émile", "beta"].map((name) => ({ name })));
      await created();
      const list = (page: PageRequest) =>
        opened.stores.apiClients.list(organizationId, { ...page, ...(sort !== undefined && { sort }) });
      expect((await everyPage(list, 2)).map(({ name }) => name)).toEqual(names);
      expect((await list({ limit: 2 })).total).toEqual({ count: 5, isExact: true });
    });

    test("the cursor of one order is none of another", async () => {
      const organizationId = await createdInOrder([{ name: "a" }, { name: "b" }, { name: "c" }]);
      const { list } = opened.stores.apiClients;
      const { nextCursor } = await list(organizationId, { limit: 1 });
      expect(nextCursor).toBeDefined();
      for (const sort of ["createdAt", "name", "-name"] as const) {
        const page = await list(organizationId, { limit: 3, sort, cursor: nextCursor as string });
        expect(page.items).toHaveLength(3);
      }
    });

    test("a list goes on behind a client that was deleted or renamed meanwhile", async () => {
      const organizationId = await createdInOrder(["a", "b", "c", "d"].map((name) => ({ name })));
      const { apiClients } = opened.stores;
      for (const sort of ["name", "createdAt"] as const) {
        const first = await apiClients.list(organizationId, { limit: 1, sort });
        const last = first.items[0] as ApiClientRecord;
        await apiClients.update(last, { name: `z${last.name}` }, Date.now(), eventOf(last));
        await apiClients.delete(last, { revokeTokens: false }, eventOf(last));
        const next = await apiClients.list(organizationId, { limit: 1, sort, cursor: first.nextCursor as string });
        expect(next.items.map(({ name }) => name)).toEqual([sort === "name" ? "b" : "c"]);
      }
    });

    test("a search finds a part of the name, the description or the id, in whatever case and order, and counts", async () => {
      const organizationId = await createdInOrder([
        { name: "Reporting" },
        { name: "CI", description: "Publishes REPORTS" },
        { name: 'Ärzte "50%" * AND OR' },
        { name: "Billing" },
      ]);
      const { list } = opened.stores.apiClients;
      await created({ name: "Reporting" });
      const names = async (search: string, sort?: ApiClientSort) => {
        const page = await list(organizationId, { limit: 10, search, ...(sort !== undefined && { sort }) });
        expect(page.total).toEqual({ count: page.items.length, isExact: true });
        expect(page.nextCursor).toBeUndefined();
        return page.items.map(({ name }) => name);
      };
      expect(await names("report")).toEqual(["CI", "Reporting"]);
      expect(await names("report", "createdAt")).toEqual(["Reporting", "CI"]);
      expect(await names("report", "-name")).toEqual(["Reporting", "CI"]);
      expect(await names("är")).toEqual(['Ärzte "50%" * AND OR']);
      expect(await names('"50%" *')).toEqual(['Ärzte "50%" * AND OR']);
      expect(await names("nothing of it", "name")).toEqual([]);
      const { items } = await list(organizationId, { limit: 10 });
      expect(await names(items[0]?.clientId ?? "")).toEqual(["Billing"]);
      const found = await everyPage((page) => list(organizationId, { ...page, search: "report", sort: "name" }), 1);
      expect(found.map(({ name }) => name)).toEqual(["CI", "Reporting"]);
    });

    test("a search knows the name that a client has now", async () => {
      const client = await created({ name: "Former" });
      const { organizationId } = client;
      const { apiClients } = opened.stores;
      const names = async (search: string) =>
        (await apiClients.list(organizationId, { limit: 10, search })).items.map(({ name }) => name);
      await apiClients.update(client, { name: "Present", description: "of today" }, Date.now(), eventOf(client));
      expect([await names("former"), await names("present"), await names("today")]).toEqual([
        [],
        ["Present"],
        ["Present"],
      ]);
      await apiClients.delete(client, { revokeTokens: false }, eventOf(client));
      expect(await names("present")).toEqual([]);
    });

    test("an update changes what it names, counts the revision up and keeps the rest", async () => {
      const client = await created({ description: "Before" });
      const at = Date.now() + 1;
      const change = { name: "Hourly export", scopes: [] };
      const result = await opened.stores.apiClients.update(client, change, at, eventOf(client));
      const expected = { ...client, ...change, updatedAt: at, revision: 2, grantRevision: 2 };
      expect(result).toEqual({ outcome: "done", value: expected });
      expect(await read(client)).toEqual(expected);
    });

    test("a change that expects another revision is stale and changes nothing", async () => {
      const client = await created();
      const target = { ...client, expectedRevision: 7 };
      const event = eventOf(client);
      const stale = { outcome: "stale", revision: 1 };
      expect(await opened.stores.apiClients.update(target, { name: "New" }, Date.now(), event)).toEqual(stale);
      expect(await opened.stores.apiClients.addKeyPair(target, keyPair(), event)).toEqual(stale);
      expect(await opened.stores.apiClients.delete(target, { revokeTokens: false }, event)).toEqual(stale);
      expect(await read(client)).toEqual(client);
    });

    test("of 20 parallel updates that expect the same revision one is done", async () => {
      const client = await created();
      const target = { ...client, expectedRevision: 1 };
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          opened.stores.apiClients.update(target, { name: `Name ${i}` }, Date.now(), eventOf(client)),
        ),
      );
      const outcomes = results.map((result) => result.outcome).sort();
      expect(outcomes).toEqual(["done", ...Array.from({ length: 19 }, () => "stale")]);
      expect((await read(client))?.revision).toBe(2);
    });

    test("an added key pair is there for the next authoritative verification and counts the revision up", async () => {
      const client = await created();
      const added = keyPair();
      const result = await opened.stores.apiClients.addKeyPair(client, added, eventOf(client));
      expect(result).toMatchObject({
        outcome: "done",
        value: { revision: 2, updatedAt: added.createdAt, keyPairs: [...client.keyPairs, added] },
      });
      expect((await verification(client.clientId))?.keyPairs).toHaveLength(2);
    });

    test("a client may have a third key while two are active", async () => {
      const client = await created({ keyPairs: [keyPair(), keyPair()] });
      const third = await opened.stores.apiClients.addKeyPair(client, keyPair(), eventOf(client));
      expect(third.outcome).toBe("done");
    });

    test("a fingerprint that the client has or had is refused", async () => {
      const client = await created();
      const [first] = client.keyPairs;
      const again = keyPair({ fingerprint: first?.fingerprint ?? "" });
      const refused = { outcome: "conflict", reason: "fingerprint_known" };
      expect(await opened.stores.apiClients.addKeyPair(client, again, eventOf(client))).toEqual(refused);
      await opened.stores.apiClients.revokeKeyPair(client, first?.keyPairId ?? "", Date.now(), eventOf(client));
      expect(await opened.stores.apiClients.addKeyPair(client, again, eventOf(client))).toEqual(refused);
    });

    test("of 10 parallel registrations of one fingerprint one is done", async () => {
      const client = await created();
      const { fingerprint } = keyPair();
      const results = await Promise.all(
        Array.from({ length: 10 }, () =>
          opened.stores.apiClients.addKeyPair(client, keyPair({ fingerprint }), eventOf(client)),
        ),
      );
      expect(results.filter((result) => result.outcome === "done")).toHaveLength(1);
      expect((await read(client))?.keyPairs).toHaveLength(2);
    });

    test("revoking a key pair is idempotent and records one event", async () => {
      const client = await created();
      const id = client.keyPairs[0]?.keyPairId ?? "";
      const at = Date.now();
      const revoke = (time: number) =>
        opened.stores.apiClients.revokeKeyPair(
          client,
          id,
          time,
          auditEvent({ time, type: "key_pair.revoked", organizationId: client.organizationId }),
        );
      const keyPairs = [{ ...client.keyPairs[0], status: "revoked", revokedAt: at }];
      const value = { ...client, keyPairs, updatedAt: at, revision: 2 };
      expect(await revoke(at)).toEqual({ outcome: "done", value });
      expect(await revoke(at + 5)).toEqual({ outcome: "done", value });
      expect((await read(client))?.revision).toBe(2);
      expect((await verification(client.clientId))?.keyPairs).toEqual([]);
      const page = await eventually(
        () =>
          opened.stores.auditLog.query(
            { organizationId: client.organizationId, type: "key_pair.revoked" },
            { limit: 10 },
          ),
        ({ items }) => items.length > 0,
      );
      expect(page.items.map((event) => event.time)).toEqual([at]);
    });

    test("a key pair that the client does not have is not found", async () => {
      const client = await created();
      const other = await created({ organizationId: client.organizationId });
      const id = other.keyPairs[0]?.keyPairId ?? "";
      expect(await opened.stores.apiClients.revokeKeyPair(client, id, Date.now(), eventOf(client))).toEqual(NOT_FOUND);
    });

    test("a deleted client is gone, and deleting it again does not find it", async () => {
      const client = await created();
      const remove = () => opened.stores.apiClients.delete(client, { revokeTokens: false }, eventOf(client));
      expect((await remove()).outcome).toBe("done");
      expect(await remove()).toEqual(NOT_FOUND);
      expect(await read(client)).toBeUndefined();
      expect(await verification(client.clientId)).toBeUndefined();
      expect((await opened.stores.apiClients.list(client.organizationId, { limit: 10 })).items).toEqual([]);
    });

    test("clients and their keys survive a restart", async () => {
      const client = await created();
      await opened.reopen();
      expect(await read(client)).toEqual(client);
    });
  });
}

function eventOf({ organizationId }: ChangeTarget) {
  return auditEvent({ organizationId });
}

const NOT_FOUND = { outcome: "not_found" };
