import { describe, expect, test } from "vitest";
import { base64url } from "../../lib/encoding.ts";
import { uuid } from "../../lib/ids.ts";
import { webCryptoRandom as random } from "../../lib/random.ts";
import type { RegisteredClientRecord } from "../../lib/stores/registered-clients.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { auditEvent, newOrganizationId } from "./records.ts";

/** What every implementation of `RegisteredClients` does. */
export function registeredClientsContract(engine: StoreEngine): void {
  describe(`registered clients on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("a client reads back as it registered, with its event, also for another process", async () => {
      const another = await opened.another();
      const { secretHash: _, ...withoutSecret } = registeredClient();
      for (const client of [registeredClient(), withoutSecret]) {
        const event = clientRegistered();
        await opened.stores.registeredClients.create(client, event);
        expect(await opened.stores.registeredClients.get(client.clientId)).toEqual(client);
        expect(await another.registeredClients.get(client.clientId)).toEqual(client);
        expect(await recordedIn(opened.stores, event, 1)).toEqual([event.id]);
      }
    });

    test("a client that was asked for before it registered is there as soon as it has", async () => {
      const processes = [opened.stores, await opened.another()];
      const client = registeredClient();
      for (const { registeredClients } of processes) {
        expect(await registeredClients.get(client.clientId)).toBeUndefined();
      }
      await opened.stores.registeredClients.create(client, clientRegistered());
      for (const { registeredClients } of processes) {
        expect(await registeredClients.get(client.clientId)).toEqual(client);
      }
    });

    test("of 50 parallel registrations under one id one succeeds, and every process reads that one", async () => {
      const processes = [opened.stores, await opened.another()] as const;
      const { clientId } = registeredClient();
      const organizationId = newOrganizationId();
      const attempts = Array.from({ length: 50 }, () => ({
        client: { ...registeredClient(), clientId },
        event: { ...clientRegistered(), organizationId },
      }));
      const results = await Promise.allSettled(
        attempts.map(({ client, event }, i) => (processes[i % 2] as Stores).registeredClients.create(client, event)),
      );
      const winners = attempts.filter((_, i) => results[i]?.status === "fulfilled");
      expect(winners).toHaveLength(1);
      for (const { registeredClients } of processes) {
        expect(await registeredClients.get(clientId)).toEqual(winners[0]?.client);
      }
      const events = await recordedIn(opened.stores, { type: "client.registered", organizationId }, 1);
      expect(events).toEqual([winners[0]?.event.id]);
    });

    test("of many registrations at a time one of an id that exists fails, leaves nothing, and the others are kept", async () => {
      const taken = registeredClient();
      await opened.stores.registeredClients.create(taken, clientRegistered());
      const organizationId = newOrganizationId();
      const others = Array.from({ length: 20 }, () => ({
        client: registeredClient(),
        event: { ...clientRegistered(), organizationId },
      }));
      const again = { ...registeredClient(), clientId: taken.clientId };
      const failing = opened.stores.registeredClients.create(again, { ...clientRegistered(), organizationId });
      const created = others.map(({ client, event }) => opened.stores.registeredClients.create(client, event));
      const [failed, ...kept] = await Promise.allSettled([failing, ...created]);
      expect(failed).toMatchObject({ status: "rejected" });
      expect(kept.filter(({ status }) => status === "rejected")).toEqual([]);
      await opened.reopen();
      for (const client of [taken, ...others.map(({ client }) => client)]) {
        expect(await opened.stores.registeredClients.get(client.clientId)).toEqual(client);
      }
      const events = await recordedIn(opened.stores, { type: "client.registered", organizationId }, others.length);
      expect([...events].sort()).toEqual(others.map(({ event }) => event.id).sort());
    });

    test("clients by clocks a minute off are there for each other at once", async () => {
      const [behind, ahead] = [await opened.another(-60_000), await opened.another(60_000)];
      for (const [here, there] of [[behind, ahead] as const, [ahead, behind] as const]) {
        const client = registeredClient();
        await here.registeredClients.create(client, clientRegistered());
        expect(await there.registeredClients.get(client.clientId)).toEqual(client);
      }
    });

    test("registered clients survive a restart and what deletes the expired", async () => {
      const client = { ...registeredClient(), createdAt: 1 };
      await opened.stores.registeredClients.create(client, clientRegistered());
      await opened.reopen();
      await opened.housekeep();
      expect(await opened.stores.registeredClients.get(client.clientId)).toEqual(client);
    });
  });
}

export function registeredClient(): RegisteredClientRecord {
  return {
    clientId: `agent_${uuid(random)}`,
    metadata: {
      client_name: "An agent \u{1F916}",
      redirect_uris: ["http://127.0.0.1/callback", "com.example.agent:/callback"],
      token_endpoint_auth_method: "client_secret_basic",
      "client_name#de": "Ein Agent",
      jwks: { keys: [] },
      default_max_age: 0.5,
      extension: null,
    },
    secretHash: base64url(random.bytes(32)),
    createdAt: Date.now(),
  };
}

/** In an organization of its own, so that its records are found by themselves. */
export function clientRegistered() {
  return auditEvent({ type: "client.registered", organizationId: newOrganizationId() });
}
