import type { Clock } from "../../lib/kernel/clock.ts";
import type { Logger } from "../../lib/logging/logger.ts";
import type { OrganizationRecord } from "../../lib/stores/directory.ts";
import type { LeaseRequest } from "../../lib/stores/limits.ts";
import { PEOPLE_STORES, type Stores } from "../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../lib/stores/unavailable.ts";
import { cloudflareApiClients } from "./api-clients.ts";
import { cloudflareApprovals } from "./approvals.ts";
import { cloudflareAuditLog } from "./audit-log.ts";
import { cloudflareConnections } from "./connections.ts";
import type { StateBindings } from "./env.ts";
import { plainLogger } from "./log.ts";
import { cloudflareMcpSessions } from "./mcp-sessions.ts";
import { registryOf, tokenShardOfValue } from "./objects.ts";
import { isPassing } from "./retry.ts";
import {
  cloudflareGrants,
  cloudflareRegisteredClients,
  cloudflareSingleUse,
  cloudflareTokens,
} from "./token-stores.ts";

/**
 * Every port over the region's Durable Objects and KV. Stubs are made for each call: they belong to its request.
 * @param logger for a cache that fails, which fails no request
 */
export function cloudflareStores(
  env: StateBindings,
  clock: Clock,
  logger: Pick<Logger, "error"> = plainLogger(),
): Stores {
  const registry = registryOf(env);
  const stores = {
    ...peopleIn(registry),
    apiClients: cloudflareApiClients(env, clock, logger),
    tokens: cloudflareTokens(env),
    grants: cloudflareGrants(env),
    registeredClients: cloudflareRegisteredClients(env),
    signingKeys: { read: registry.signingKeys, replace: registry.replaceSigningKeys },
    singleUse: cloudflareSingleUse(env, clock),
    settings: { readSettings: registry.settings, replaceSettings: registry.replaceSettings },
    limits: { lease: (request: LeaseRequest) => tokenShardOfValue(env, "limit", request.key).lease(request) },
    stops: { readStops: registry.readStops, replaceStops: registry.replaceStops },
    pins: {
      readPins: registry.readPins,
      replacePins: registry.replacePins,
      keepDefinitions: registry.keepToolDefinitions,
      definitions: registry.toolDefinitions,
      dropDefinitions: registry.dropToolDefinitions,
    },
    deployments: {
      readDeployment: registry.readDeployment,
      replaceDeployment: registry.replaceDeployment,
      keepPiece: registry.keepBundlePiece,
      piece: registry.bundlePiece,
      dropPieces: registry.dropBundlePieces,
      tellInstance: registry.tellInstance,
      instances: registry.instances,
    },
    auditLog: cloudflareAuditLog(env),
    mcpSessions: cloudflareMcpSessions(env, logger),
    connections: cloudflareConnections(env),
    approvals: cloudflareApprovals(env),
  };
  return tellingUnavailable(stores, isPassing);
}

function peopleIn(registry: ReturnType<typeof registryOf>): Pick<Stores, keyof typeof PEOPLE_STORES> {
  const people = Object.fromEntries(Object.keys(PEOPLE_STORES).map((name) => [name, registry]));
  return {
    ...(people as Record<keyof typeof PEOPLE_STORES, typeof registry>),
    directory: {
      ...registry,
      firstOrganization: async () => withRevision(await registry.firstOrganization()),
      getOrganization: async (organizationId) => withRevision(await registry.getOrganization(organizationId)),
    },
  };
}

/** A registry that still runs the former release knows no revisions: its organizations are at the first. */
function withRevision(record: OrganizationRecord | undefined): OrganizationRecord | undefined {
  return record && { ...record, revision: record.revision ?? 1 };
}
