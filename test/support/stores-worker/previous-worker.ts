import { DurableObject } from "cloudflare:workers";
import { openDatabase } from "../../../infra/cloudflare/database.ts";
import { auditIndexMigrations } from "../../../infra/cloudflare/registry-index.ts";
import { laneShards } from "../../../lib/authorization-server/tokens/sharding.ts";
import type { AuditEvent } from "../../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../../lib/stores/sql/database.ts";
import { auditMigrations } from "../../../lib/stores/sql/migrations/audit.ts";
import { outboxMigrations } from "../../../lib/stores/sql/migrations/outbox.ts";
import { registryMigrations } from "../../../lib/stores/sql/migrations/registry.ts";
import { tokenShardMigrations } from "../../../lib/stores/sql/migrations/token-shard.ts";
import type { PreviousRelease } from "../../contract/releases/engine.ts";
import { previousMigrations, previousSql } from "../../contract/releases/previous-sql.ts";

type Statements = typeof previousSql;
type AnyStatement = (db: SqlDatabase, ...parameters: readonly unknown[]) => unknown;

/** The objects of the release before this one: their tables, and its statements on them. */
abstract class PreviousObject extends DurableObject {
  protected abstract readonly db: SqlDatabase;

  run(name: string, parameters: readonly unknown[]): unknown {
    const statement = previousSql[name as keyof Statements] as unknown as AnyStatement;
    return this.db.transaction(() => statement(this.db, ...parameters));
  }

  /** What this release left to do is not lost. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + 10_000);
  }
}

export class Registry extends PreviousObject {
  protected readonly db = openDatabase(
    this.ctx.storage,
    previousMigrations([registryMigrations, outboxMigrations, auditIndexMigrations]),
  );

  listAuditShard(organizationId: string, day: string, shard: number): void {
    this.db.run(
      "INSERT INTO audit_shards (organization_id, day, shard) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      organizationId,
      day,
      shard,
    );
  }
}

export class TokenShard extends PreviousObject {
  protected readonly db = openDatabase(this.ctx.storage, previousMigrations([tokenShardMigrations, outboxMigrations]));
}

export class AuditShard extends PreviousObject {
  protected readonly db = openDatabase(this.ctx.storage, previousMigrations([auditMigrations]));

  list(): void {
    this.ctx.storage.kv.put("listed", true);
  }
}

/** That release had none of these; workerd wants every class that its configuration names. */
export class McpSession extends DurableObject {}
export class UpstreamCall extends DurableObject {}

interface PreviousBindings {
  readonly REGISTRY: DurableObjectNamespace<Registry>;
  readonly TOKEN_SHARDS: DurableObjectNamespace<TokenShard>;
  readonly AUDIT_SHARDS: DurableObjectNamespace<AuditShard>;
}

/** The release before this one over HTTP: `POST /<operation of PreviousRelease>` with the arguments as JSON. */
export default {
  async fetch(request, env) {
    const [, operation = ""] = new URL(request.url).pathname.split("/");
    const operations: Readonly<Record<string, unknown>> = { ...previousObjects(env) };
    const call = operations[operation] as ((...parameters: readonly unknown[]) => Promise<unknown>) | undefined;
    if (call === undefined) return Response.json({ error: `There is no ${operation}.` }, { status: 404 });
    try {
      return Response.json({ value: await call(...(await request.json<unknown[]>())) });
    } catch (error) {
      return Response.json({ error: String(error) }, { status: 500 });
    }
  },
} satisfies ExportedHandler<PreviousBindings>;

function previousObjects(env: PreviousBindings): PreviousRelease {
  const run = async <T>(
    namespace: DurableObjectNamespace<PreviousObject>,
    object: string,
    name: keyof Statements,
    ...parameters: readonly unknown[]
  ) => (await namespace.getByName(object).run(name, parameters)) as T;
  const inRegistry = <T>(name: keyof Statements, ...parameters: readonly unknown[]) =>
    run<T>(env.REGISTRY, "us", name, ...parameters);
  const inShard = <T>(shard: number, name: keyof Statements, ...parameters: readonly unknown[]) =>
    run<T>(env.TOKEN_SHARDS, String(shard), name, ...parameters);
  const end = async (clientId: string, tombstone: string): Promise<void> => {
    for (const shard of laneShards(clientId)) await inShard(shard, "addTombstone", tombstone);
  };
  const ofEvent = (event: AuditEvent) => {
    const day = new Date(event.time).toISOString().slice(0, 10);
    const shard = (event.id.codePointAt(event.id.length - 1) ?? 0) % 4;
    return { organizationId: event.organizationId ?? "", day, shard };
  };
  const nameOf = ({ organizationId, day, shard }: ReturnType<typeof ofEvent>) => `${organizationId}#${day}#${shard}`;
  return {
    createClient: (client) => inRegistry("createClient", client),
    client: (clientId) => inRegistry("client", clientId),
    rename: (clientId, name) => inRegistry("rename", clientId, name),
    revokeKeyPair: async (clientId, keyPairId) => {
      await inRegistry("revokeKeyPair", keyPairId);
      await end(clientId, `key/${keyPairId}`);
    },
    deleteClient: async (clientId) => {
      await inRegistry("removeClient", clientId);
      await end(clientId, `client/${clientId}`);
    },
    issue: (request) => inShard(request.reference.shard, "issue", request),
    introspect: ({ shard, hash }, now) => inShard(shard, "introspect", hash, now),
    consume: async (key, expiresAt) => inShard(await shardOfValue(key), "consumeValue", key, expiresAt),
    createOwner: (first) => inRegistry("createOwner", first),
    person: (userId) => inRegistry("person", userId),
    createLink: (link) => inRegistry("createLink", link),
    consumeLink: (secretHash, now) => inRegistry("consumeLink", secretHash, now),
    createSession: (session) => inRegistry("createSession", session),
    session: (sessionHash) => inRegistry("session", sessionHash),
    begin: async (event) => {
      const key = ofEvent(event);
      await env.REGISTRY.getByName("us").listAuditShard(key.organizationId, key.day, key.shard);
      await env.AUDIT_SHARDS.getByName(nameOf(key)).list();
      await run(env.AUDIT_SHARDS, nameOf(key), "begin", event);
    },
    event: (event) => run(env.AUDIT_SHARDS, nameOf(ofEvent(event)), "event", event),
  };
}

/** The first byte of the digest of namespace and key. */
async function shardOfValue(key: string): Promise<number> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(`test\0${key}`));
  return new Uint8Array(digest)[0] ?? 0;
}
