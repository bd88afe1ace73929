import type { Mutant } from "../mutant.ts";

const SUITE = ["contract/durable-objects."];

export const CLOUDFLARE: readonly Mutant[] = [
  {
    id: "cloudflare-client-cache-forgets-nothing",
    area: "Durable Objects and KV",
    costs: "The instance that revoked a key goes on accepting it from its own cache.",
    find: "forget: (clientId) => memory.delete(clientId)",
    replace: "forget: (clientId) => void memory.get(clientId)",
    suites: ["infra-cloudflare/client-cache", "contract/durable-objects."],
    only: "cache|API clients on|forget|revo",
  },
  {
    id: "cloudflare-kv-keeps-revoked-key",
    area: "Durable Objects and KV",
    costs: "Other instances accept a revoked key from KV.",
    find: "await clients.delete(keyOf(clientId))",
    replace: "await clients.get(keyOf(clientId))",
    suites: ["infra-cloudflare/client-cache", "infra-cloudflare/state."],
  },
  {
    id: "cloudflare-cache-lifetime",
    area: "Durable Objects and KV",
    costs: "A key that was revoked on another continent works here for an hour.",
    find: "const BORROWED = 30",
    replace: "const BORROWED = 3000",
    suites: ["infra-cloudflare/client-cache"],
  },
  {
    id: "cloudflare-tombstones-on-some-lanes",
    area: "Durable Objects and KV",
    costs: "A revoked key gets tokens from those shards that were not told.",
    find: "laneShards(clientId).map((shard) => tokenShardOf(",
    replace: "laneShards(clientId).slice(0, 4).map((shard) => tokenShardOf(",
    suites: SUITE,
    only: "tokens on",
  },
  {
    id: "cloudflare-undelivered-revocation",
    area: "Durable Objects and KV",
    costs: "An owner is told that a key is revoked while shards still accept it.",
    find: "if (failure === undefined) return result",
    replace: "if (failure === undefined || log !== undefined) return result",
    suites: ["infra-cloudflare/state.", "infra-cloudflare/repeat", "infra-cloudflare/outbox"],
  },
  {
    id: "cloudflare-refused-record-settled",
    area: "Durable Objects and KV",
    costs: "An audit record that its shard refused is lost.",
    find: "settle(sequencesOf(entries.filter((_, position) => !positions.has(position))))",
    replace: "settle(sequencesOf(entries.filter(() => positions.size >= 0)))",
    suites: ["infra-cloudflare/delivery"],
  },
];
