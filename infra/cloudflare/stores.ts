import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { SingleUse } from "../../lib/stores/single-use.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import type { Tokens } from "../../lib/stores/tokens.ts";
import { tellingUnavailable } from "../../lib/stores/unavailable.ts";
import { cloudflareApiClients } from "./api-clients.ts";
import { cloudflareAuditLog } from "./audit-log.ts";
import { cloudflareDirectory } from "./directory.ts";
import type { StateBindings } from "./env.ts";
import { plainLogger } from "./log.ts";
import { cloudflareMcpSessions } from "./mcp-sessions.ts";
import { tokenShardOf } from "./objects.ts";
import { isPassing, repeatedly } from "./repeat.ts";
import { singleUseShard } from "./single-use-shard.ts";

/**
 * Every port over the region's Durable Objects and KV. Stubs are made for each call: they belong to its request.
 * @param logger for a cache that fails, which fails no request
 */
export function cloudflareStores(
  env: StateBindings,
  clock: Clock,
  logger: Pick<Logger, "error"> = plainLogger(),
): Stores {
  const stores = {
    apiClients: cloudflareApiClients(env, clock, logger),
    tokens: tokens(env),
    singleUse: singleUse(env, clock),
    directory: cloudflareDirectory(env),
    auditLog: cloudflareAuditLog(env),
    mcpSessions: cloudflareMcpSessions(env, logger),
  };
  return tellingUnavailable(stores, isPassing);
}

/** Presenting an assertion twice, or consuming a value, is answered differently the second time. */
function tokens(env: StateBindings): Tokens {
  return {
    issue: (request) => repeatedly(async () => tokenShardOf(env, request.reference.shard).issue(request)),
    acceptAssertion: (use) => tokenShardOf(env, use.shard).acceptAssertion(use),
    introspect: (reference, now) =>
      repeatedly(async () => tokenShardOf(env, reference.shard).introspect(reference, now)),
    revoke: (reference, now, event) =>
      repeatedly(async () => tokenShardOf(env, reference.shard).revoke(reference, now, event)),
  };
}

function singleUse(env: StateBindings, clock: Clock): SingleUse {
  return {
    consume: async (namespace, key, expiresAt) =>
      tokenShardOf(env, singleUseShard(namespace, key)).consume(namespace, key, expiresAt, clock.now()),
  };
}
