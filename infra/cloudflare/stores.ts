import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { SigningKeys } from "../../lib/stores/signing-keys.ts";
import type { SingleUse } from "../../lib/stores/single-use.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../lib/stores/unavailable.ts";
import { cloudflareApiClients } from "./api-clients.ts";
import { cloudflareAuditLog } from "./audit-log.ts";
import { cloudflareDirectory } from "./directory.ts";
import type { StateBindings } from "./env.ts";
import { cloudflareGrants } from "./grants.ts";
import { cloudflareIdentities } from "./identities.ts";
import { cloudflareInvitations } from "./invitations.ts";
import { plainLogger } from "./log.ts";
import { cloudflareMcpSessions } from "./mcp-sessions.ts";
import { cloudflareMembers } from "./members.ts";
import { registryOf, tokenShardOf } from "./objects.ts";
import { cloudflarePasskeys } from "./passkeys.ts";
import { cloudflareRegisteredClients } from "./registered-clients.ts";
import { isPassing, repeatedly } from "./repeat.ts";
import { cloudflareSettings } from "./settings.ts";
import { cloudflareTokens } from "./tokens.ts";
import { valueShard } from "./value-shard.ts";

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
    tokens: cloudflareTokens(env),
    grants: cloudflareGrants(env),
    registeredClients: cloudflareRegisteredClients(env),
    signingKeys: signingKeys(env),
    singleUse: singleUse(env, clock),
    directory: cloudflareDirectory(env),
    members: cloudflareMembers(env),
    invitations: cloudflareInvitations(env),
    passkeys: cloudflarePasskeys(env),
    identities: cloudflareIdentities(env),
    settings: cloudflareSettings(env),
    auditLog: cloudflareAuditLog(env),
    mcpSessions: cloudflareMcpSessions(env, logger),
  };
  return tellingUnavailable(stores, isPassing);
}

/** Consuming a value is answered differently the second time. */
function singleUse(env: StateBindings, clock: Clock): SingleUse {
  return {
    consume: async (namespace, key, expiresAt) =>
      tokenShardOf(env, valueShard(namespace, key)).consume(namespace, key, expiresAt, clock.now()),
  };
}

/** A change whose answer is lost shows when the set is read again. */
function signingKeys(env: StateBindings): SigningKeys {
  return {
    read: () => repeatedly(async () => registryOf(env).signingKeys()),
    replace: async (expectedRevision, keys, event) => registryOf(env).replaceSigningKeys(expectedRevision, keys, event),
  };
}
