import { sha256 } from "#sha256";
import type { ConnectionKey } from "../../lib/stores/connections.ts";
import { type Operations, type Port, portOf } from "../../lib/stores/operations.ts";
import type { StateBindings } from "./env.ts";
import { AUDIT_SHARD, MCP_SESSION, REGISTRY, TOKEN_SHARD, UPSTREAM_CALL } from "./object-operations.ts";
import { withRetries } from "./retry.ts";

/** The one object that holds the region's directory and API clients. */
export function registryOf(env: StateBindings): Port<typeof REGISTRY> {
  return callsOf(REGISTRY, () => env.REGISTRY.getByName(env.REGION, placement(env)));
}

/** `shard`: 0 to 255. */
export function tokenShardOf(env: StateBindings, shard: number): Port<typeof TOKEN_SHARD> {
  return callsOf(TOKEN_SHARD, () => env.TOKEN_SHARDS.getByName(String(shard), placement(env)));
}

/** Where all callers of a value meet: one that is used once, or names something. */
export function tokenShardOfValue(env: StateBindings, kind: string, value: string): Port<typeof TOKEN_SHARD> {
  const digest = sha256(`${kind}\0${value}`);
  return tokenShardOf(env, digest[0] ?? 0);
}

/** Where all connections are that a person has in an organization. */
export function connectionShardOf(
  env: StateBindings,
  { organizationId, person }: Pick<ConnectionKey, "organizationId" | "person">,
): Port<typeof TOKEN_SHARD> {
  return tokenShardOfValue(env, "connection", `${organizationId}\0${person}`);
}

/** `name`: of `auditShardName`. */
export function auditShardOf(env: StateBindings, name: string): Port<typeof AUDIT_SHARD> {
  return callsOf(AUDIT_SHARD, () => env.AUDIT_SHARDS.getByName(name, placement(env)));
}

/** The object that holds one agent's session. */
export function mcpSessionOf(env: StateBindings, sessionHash: string): Port<typeof MCP_SESSION> {
  return callsOf(MCP_SESSION, () => mcpSessionStub(env, sessionHash));
}

/** The same object for requests over HTTP. */
export function mcpSessionStub(env: StateBindings, sessionHash: string): Fetcher {
  return env.MCP_SESSIONS.getByName(sessionHash, placement(env));
}

/** The object that counts the calls of a principal that wait. */
export function upstreamCallOf(env: StateBindings, name: string): Port<typeof UPSTREAM_CALL> {
  return callsOf(UPSTREAM_CALL, () => upstreamCallStub(env, name));
}

/** The object of one call at an upstream, for requests over HTTP. */
export function upstreamCallStub(env: StateBindings, name: string): Fetcher {
  return env.UPSTREAM_CALLS.getByName(name, placement(env));
}

type Method = (...args: readonly unknown[]) => Promise<unknown>;

/** Calls of an object, again when they failed in passing and may be repeated. Each attempt makes a stub of its own (D29). */
function callsOf<Table extends Operations>(table: Table, stub: () => Fetcher): Port<Table> {
  return portOf(table, (name, kind, args) => {
    const call = async () => (stub() as unknown as Readonly<Record<string, Method>>)[name]?.(...args);
    return kind === "once" ? call() : withRetries(call);
  });
}

function placement(env: StateBindings): DurableObjectNamespaceGetDurableObjectOptions {
  const locationHint = LOCATION[env.REGION];
  return locationHint === undefined ? {} : { locationHint };
}

/** Where a region's objects are asked to live. It promises location, not residency. */
const LOCATION: Readonly<Record<string, DurableObjectLocationHint>> = { us: "enam", uk: "weur" };
