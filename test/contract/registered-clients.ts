import { describe, expect, test } from "vitest";
import type { Stores } from "../../lib/stores/stores.ts";
import { openedStores, type StoreEngine } from "./engine.ts";
import { recordedIn } from "./exchange-records.ts";
import { registeredClient } from "./grant-records.ts";
import { auditEvent, newOrganizationId } from "./records.ts";

/** What every implementation of `RegisteredClients` does. */
export function registeredClientsContract(engine: StoreEngine): void {
  describe(`registered clients on ${engine.name}`, () => {
    const opened = openedStores(engine);

    test("a client reads back as it registered, with its event, also for another process", async () => {
      const another = await opened.another();
      const { secretHash: _, ...withoutSecret } = registeredClient();
      const metadata = { client_name: "Ein \u{1F916}", jwks: { keys: [] }, default_max_age: 0.5, extension: null };
      for (const client of [registeredClient({ metadata }), withoutSecret]) {
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

    test("registered clients survive a restart and what deletes the expired", async () => {
      const client = registeredClient({ createdAt: 1 });
      await opened.stores.registeredClients.create(client, clientRegistered());
      await opened.reopen();
      await opened.housekeep();
      expect(await opened.stores.registeredClients.get(client.clientId)).toEqual(client);
    });
  });
}

/** In an organization of its own, so that its records are found by themselves. */
function clientRegistered() {
  return auditEvent({ type: "client.registered", organizationId: newOrganizationId() });
}
