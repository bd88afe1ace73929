import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CONNECT_LIFETIME } from "../../lib/connections/connect-request.ts";
import { createVault } from "../../lib/connections/vault.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom as random } from "../../lib/kernel/random.ts";
import { type ConnectionKey, type ConnectionRecord, heldKey } from "../../lib/stores/connections.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { type Setting, startSetting } from "../connections/support/setting.ts";
import { startTokenServer, type TokenServer } from "../connections/support/token-server.ts";
import { connected, connection, connectionEvent, keyOf, newPerson } from "./connection-records.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { newOrganizationId } from "./records.ts";

/** Tokens that serve nobody: who cannot open them, and how their providers are told. */
export function revocationsContract(engine: StoreEngine): void {
  describe(`sealed pairs on ${engine.name}`, () => {
    const opened = openedStores(engine);
    let provider: TokenServer;
    let setting: Setting;
    beforeAll(async () => {
      provider = await startTokenServer();
      setting = startSetting(provider);
    });
    afterAll(async () => {
      setting.close();
      await provider.close();
    });

    test("67. a record that somebody moves to another row of the database does not open there", async () => {
      const vault = createVault([base64url(random.bytes(32))], "us", random);
      const sealed = async (fields: Partial<ConnectionRecord>) => {
        const record = connection(fields);
        const tokens = { accessToken: `token of ${record.connectionId}`, clientID: "countersign" };
        return connected(opened.stores, { ...record, sealed: await vault.seal(tokens, record) });
      };
      const alice = await sealed({ agent: "client_one" });
      const others: Partial<ConnectionKey>[] = [
        { person: newPerson() },
        { organizationId: newOrganizationId() },
        { app: "another" },
        { agent: "" },
      ];
      for (const other of others) {
        const victim = await sealed({ ...keyOf(alice), ...other });
        await opened.moveConnection(alice, victim);
        const { connections } = opened.stores;
        const found = await connections.connection(keyOf(victim));
        // It is there, and says of itself what its place is.
        expect(found).toMatchObject({ ...keyOf(victim), connectionId: alice.connectionId, sealed: alice.sealed });
        expect(found && (await vault.open(found.sealed, found))).toBeUndefined();
        const [listed] = (await connections.connectionsOf(victim.organizationId, victim.person)).filter(
          ({ app, agent }) => app === victim.app && agent === victim.agent,
        );
        if (!engine.name.startsWith("DynamoDB")) expect(listed).toMatchObject(keyOf(victim));
        const own = await connections.connection(keyOf(alice));
        expect(own && (await vault.open(own.sealed, own))?.accessToken).toBe(`token of ${alice.connectionId}`);
      }
    });

    test("71. a held pair is listed nowhere, is due at its time, and is taken out by one of many", async () => {
      const { connections } = opened.stores;
      const another = (await opened.another()).connections;
      const record = heldPair();
      const { connectionId, retryAt: due = 0 } = record;
      await connections.hold(record);
      await connections.hold(record);
      expect(await connections.connection(keyOf(record))).toEqual(record);
      expect(await connections.connectionsOf(record.organizationId, record.person)).toEqual([]);
      expect((await connections.connectionsIn(record.organizationId, { limit: 10 })).items).toEqual([]);
      expect(await connections.countByKey()).toMatchObject({ [record.sealed.keyId]: 1 });
      const isDue = async (now: number) =>
        (await connections.deleted(1000, now)).some((one) => one.connectionId === connectionId);
      expect([await isDue(due - 1), await isDue(due)]).toEqual([false, true]);
      // Of all who find it due at once one puts it off, and tells.
      const claims = Array.from({ length: 8 }, (_, i) =>
        (i % 2 ? connections : another).postpone(keyOf(record), connectionId, due, due + 50),
      );
      expect((await Promise.all(claims)).filter((isOurs) => isOurs)).toHaveLength(1);
      expect([await isDue(due + 49), await isDue(due + 50)]).toEqual([false, true]);
      expect(await connections.takeHeld(keyOf(record), connection().connectionId)).toBeUndefined();
      const taken = await Promise.all(
        Array.from({ length: 8 }, (_, i) => (i % 2 ? connections : another).takeHeld(keyOf(record), connectionId)),
      );
      expect(taken.filter((one) => one !== undefined)).toEqual([{ ...record, retryAt: due + 50 }]);
      expect(await isDue(due + 50)).toBe(false);
      expect(await connections.postpone(keyOf(record), connectionId, due + 50, due + 60)).toBe(false);
      expect(await connections.countByKey()).not.toHaveProperty(record.sealed.keyId);
    });

    test("71. only what is deleted is put off or taken out as held", async () => {
      const { connections } = opened.stores;
      const live = await connected(opened.stores);
      expect(await connections.takeHeld(keyOf(live), live.connectionId)).toBeUndefined();
      expect(await connections.postpone(keyOf(live), live.connectionId, 0, 1)).toBe(false);
      expect(await connections.connection(keyOf(live))).toEqual(live);
    });

    test("71. a pair that nobody decides on is revoked at its provider, once, when the question is over", async () => {
      const processes = [opened.stores, await opened.another()].map((stores: Stores) => setting.process({ stores }));
      const [one, other] = processes as [(typeof processes)[0], (typeof processes)[0]];
      const asked = { ...keyOf(connection()), ...{ agent: "agent_1", connector: "saas", perAgent: false, scopes: [] } };
      const pair = () => ({
        ...{ ...provider.grant(), clientID: "countersign", scopes: [] },
        tokenURL: `${provider.url}/token`,
      });
      const [unanswered, kept] = [pair(), pair()];
      const content = await one.hold(asked, unanswered);
      const answered = await one.hold(asked, kept);
      expect(JSON.stringify([content, answered])).not.toContain(unanswered.refreshToken);
      expect(await other.held({ ...asked, person: newPerson() }, answered)).toBeUndefined();
      expect(await other.held(asked, answered)).toMatchObject(kept);
      const revoke = () => Promise.all(processes.map((process) => process.revoke()));
      setting.clock.pass(CONNECT_LIFETIME);
      await revoke();
      expect(provider.revoked).toEqual([]);
      setting.clock.pass(60_000);
      await revoke();
      await revoke();
      expect(provider.revoked).toEqual([unanswered.refreshToken, unanswered.accessToken]);
      expect(await one.held(asked, content)).toBeUndefined();
      const event = connectionEvent(connection({ organizationId: asked.organizationId }), "connection.revoked");
      expect(await recordedIn(opened.stores, event, 1)).toHaveLength(1);
    });
  });
}

function heldPair(): ConnectionRecord {
  const record = connection();
  const now = Date.now();
  // Beyond what alarms of the test's time would find due.
  const due = { deletedAt: now, retryAt: now + 600_000 };
  return { ...record, ...heldKey(record, record.connectionId), ...due, state: "deleted" };
}
