import { boundedMap } from "../../lib/bounded-map.ts";
import type { RegisteredClientRecord, RegisteredClients } from "../../lib/stores/registered-clients.ts";
import type { StateBindings } from "./env.ts";
import { tokenShardOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";
import { valueShard } from "./value-shard.ts";

/** Records that one isolate remembers. They never change. */
const CAPACITY = 1_000;

export function cloudflareRegisteredClients(env: StateBindings): RegisteredClients {
  const memory = boundedMap<string, RegisteredClientRecord>(CAPACITY);
  const shard = (clientId: string) => tokenShardOf(env, valueShard("registered-client", clientId));
  return {
    create: async (record, event) => shard(record.clientId).createRegisteredClient(record, event),
    get: async (clientId) => {
      const known = memory.get(clientId);
      if (known !== undefined) return known;
      const record = await repeatedly(async () => shard(clientId).registeredClient(clientId));
      if (record !== undefined) memory.put(clientId, record);
      return record;
    },
  };
}
