import { describe, expect, test } from "vitest";
import type { ApiClientRecord } from "../../lib/stores/api-clients.ts";
import { eventually } from "../support/eventually.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { apiClient, auditEvent, keyPair } from "./records.ts";

const HOUR = 60 * 60_000;
const NOON = Date.UTC(2030, 0, 1, 12);

/** What every implementation of `ApiClients.recordUse` does. */
export function keyPairUseContract(engine: StoreEngine): void {
  describe(`uses of key pairs on ${engine.name}`, () => {
    const opened = openedStores(engine);

    const created = async (fields: Partial<ApiClientRecord> = {}) => {
      const client = apiClient({ grantRevision: 1, ...fields });
      await opened.stores.apiClients.create(client, eventOf(client));
      return client;
    };
    const use = ({ clientId }: ApiClientRecord, keyPairId: string, hour: number) =>
      opened.stores.apiClients.recordUse({ clientId, keyPairId, hour });
    const read = async ({ organizationId, clientId }: ApiClientRecord) => {
      const record = await opened.stores.apiClients.get(organizationId, clientId);
      if (record === undefined) throw new Error("the client is gone");
      return record;
    };
    /** The client, once its key pairs were last used at these hours. */
    const used = (client: ApiClientRecord, hours: readonly (number | undefined)[]) =>
      eventually(
        () => read(client),
        ({ keyPairs }) => JSON.stringify(keyPairs.map(hourOf)) === JSON.stringify(hours),
      );

    test("a use is shown wherever the key pair is, and changes nothing else", async () => {
      const client = await created({ keyPairs: [keyPair(), keyPair()] });
      const [first, second] = client.keyPairs;
      await use(client, idOf(client, 0), NOON);
      const expected = { ...client, keyPairs: [{ ...first, lastUsedAt: NOON }, second] };
      expect(await used(client, [NOON, undefined])).toEqual(expected);
      const { apiClients, auditLog } = opened.stores;
      expect((await apiClients.list(client.organizationId, { limit: 10 })).items).toEqual([expected]);
      const { record } = await apiClients.getForVerification(client.clientId, { authoritative: true });
      expect(record?.keyPairs.map(({ lastUsedAt }) => lastUsedAt)).toEqual([NOON, undefined]);
      const filter = { organizationId: client.organizationId };
      const { items } = await eventually(
        () => auditLog.query(filter, { limit: 10 }),
        (page) => page.items.length > 0,
      );
      expect(items).toHaveLength(1);
      const target = { ...client, expectedRevision: 1 };
      const result = await apiClients.update(target, { name: "Renamed" }, NOON + 1, eventOf(client));
      expect(result.outcome).toBe("done");
    });

    test("of many uses the latest hour is kept, in whatever order they arrive", async () => {
      const client = await created();
      const hours = Array.from({ length: 20 }, (_, i) => NOON + ((i * 7) % 20) * HOUR);
      await Promise.all(hours.map((hour) => use(client, idOf(client, 0), hour)));
      await used(client, [NOON + 19 * HOUR]);
      await use(client, idOf(client, 0), NOON);
      expect((await read(client)).keyPairs.map(hourOf)).toEqual([NOON + 19 * HOUR]);
      await use(client, idOf(client, 0), NOON + 20 * HOUR);
      await used(client, [NOON + 20 * HOUR]);
    });

    test("ids that nobody has, and the key pair of another client, are ignored", async () => {
      const client = await created();
      const other = await created();
      const never = apiClient({ grantRevision: 1 });
      await use(never, idOf(never, 0), NOON);
      await use(client, idOf(never, 0), NOON);
      await use(client, idOf(other, 0), NOON);
      await use(never, idOf(other, 0), NOON);
      await use(client, idOf(client, 0), NOON + HOUR);
      await used(client, [NOON + HOUR]);
      expect(await read(other)).toEqual(other);
      expect(await opened.stores.apiClients.get(never.organizationId, never.clientId)).toBeUndefined();
      await opened.stores.apiClients.create(never, eventOf(never));
      expect(await read(never)).toEqual(never);
    });

    test("changes keep the use and answer with it", async () => {
      const client = await created();
      await use(client, idOf(client, 0), NOON);
      await used(client, [NOON]);
      const { apiClients } = opened.stores;
      const changes = [
        await apiClients.update(client, { name: "Renamed", scopes: [] }, NOON + 1, eventOf(client)),
        await apiClients.addKeyPair(client, keyPair(), eventOf(client)),
        await apiClients.revokeKeyPair(client, idOf(client, 0), NOON + 2, eventOf(client)),
      ];
      const hours = changes.map((change) => change.outcome === "done" && hourOf(change.value.keyPairs[0]));
      expect(hours).toEqual([NOON, NOON, NOON]);
      expect((await read(client)).keyPairs[0]).toMatchObject({ status: "revoked", lastUsedAt: NOON });
    });

    test("uses and changes at the same time lose nothing of each other", async () => {
      const client = await created({ keyPairs: [keyPair(), keyPair()] });
      const added = Array.from({ length: 6 }, () => keyPair());
      const { apiClients } = opened.stores;
      const uses = Array.from({ length: 20 }, (_, i) => use(client, idOf(client, i % 2), NOON + i * HOUR));
      const changes = [
        apiClients.revokeKeyPair(client, idOf(client, 1), NOON, eventOf(client)),
        apiClients.update(client, { name: "Renamed" }, NOON, eventOf(client)),
        ...added.map((keyPairToAdd) => apiClients.addKeyPair(client, keyPairToAdd, eventOf(client))),
      ];
      const outcomes = (await Promise.all(changes)).map(({ outcome }) => outcome);
      expect(outcomes).toEqual(Array(changes.length).fill("done"));
      await Promise.all(uses);
      const { name, revision, keyPairs } = await eventually(
        () => read(client),
        (record) => hourOf(record.keyPairs[0]) === NOON + 18 * HOUR && hourOf(record.keyPairs[1]) === NOON + 19 * HOUR,
      );
      expect([name, revision]).toEqual(["Renamed", 1 + changes.length]);
      expect(keyPairs.map(({ status }) => status)).toEqual(["active", "revoked", ...added.map(() => "active")]);
      expect(keyPairs.map(({ keyPairId }) => keyPairId).toSorted()).toEqual(
        [...client.keyPairs, ...added].map(({ keyPairId }) => keyPairId).toSorted(),
      );
    });

    test("a use of a deleted client brings nothing back", async () => {
      const client = await created();
      await use(client, idOf(client, 0), NOON);
      await used(client, [NOON]);
      const { apiClients } = opened.stores;
      await apiClients.delete(client, { revokeTokens: false }, eventOf(client));
      await use(client, idOf(client, 0), NOON + HOUR);
      expect(await apiClients.get(client.organizationId, client.clientId)).toBeUndefined();
      expect((await apiClients.list(client.organizationId, { limit: 10 })).items).toEqual([]);
      const { record } = await apiClients.getForVerification(client.clientId, { authoritative: true });
      expect(record).toBeUndefined();
    });

    test("uses survive a restart", async () => {
      const client = await created();
      await use(client, idOf(client, 0), NOON);
      await used(client, [NOON]);
      await opened.reopen();
      expect((await read(client)).keyPairs.map(hourOf)).toEqual([NOON]);
    });
  });
}

function idOf({ keyPairs }: ApiClientRecord, index: number): string {
  return keyPairs[index]?.keyPairId ?? "";
}

function hourOf(pair: ApiClientRecord["keyPairs"][number] | undefined): number | undefined {
  return pair?.lastUsedAt;
}

function eventOf({ organizationId }: ApiClientRecord) {
  return auditEvent({ organizationId });
}
