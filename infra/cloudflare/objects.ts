import type { AuditShard } from "./audit-shard.ts";
import type { StateBindings } from "./env.ts";
import type { McpSession } from "./mcp-session.ts";
import type { Registry } from "./registry.ts";
import type { TokenShard } from "./token-shard.ts";
import type { UpstreamCall } from "./upstream-call.ts";

/** Where a region's objects are asked to live. It promises location, not residency. */
const LOCATION: Readonly<Record<string, DurableObjectLocationHint>> = { us: "enam", uk: "weur" };

/** The one object that holds the region's directory and API clients. */
export function registryOf(env: StateBindings): DurableObjectStub<Registry> {
  return env.REGISTRY.getByName(env.REGION, placement(env));
}

/** `shard`: 0 to 255. */
export function tokenShardOf(env: StateBindings, shard: number): DurableObjectStub<TokenShard> {
  return env.TOKEN_SHARDS.getByName(String(shard), placement(env));
}

/** `name`: of `auditShardName`. */
export function auditShardOf(env: StateBindings, name: string): DurableObjectStub<AuditShard> {
  return env.AUDIT_SHARDS.getByName(name, placement(env));
}

/** The object that holds one agent's session. */
export function mcpSessionOf(env: StateBindings, sessionHash: string): DurableObjectStub<McpSession> {
  return env.MCP_SESSIONS.getByName(sessionHash, placement(env));
}

/** The object of one call at an upstream, or of a principal whose calls wait. */
export function upstreamCallOf(env: StateBindings, name: string): DurableObjectStub<UpstreamCall> {
  return env.UPSTREAM_CALLS.getByName(name, placement(env));
}

function placement(env: StateBindings): DurableObjectNamespaceGetDurableObjectOptions {
  const locationHint = LOCATION[env.REGION];
  return locationHint === undefined ? {} : { locationHint };
}
