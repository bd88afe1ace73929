import { DurableObject } from "cloudflare:workers";
import { causeOf } from "../../lib/logging/cause.ts";
import type {
  AuditCompletion,
  AuditEvent,
  AuditFilter,
  AuditPage,
  AuditPageRequest,
  AuditTally,
  AuditTallyRequest,
} from "../../lib/stores/audit-log.ts";
import {
  appendAuditEvent,
  beginAuditEvent,
  completeAuditEvent,
  queryAuditEvents,
} from "../../lib/stores/sql/audit-log.ts";
import { tallyAuditEvents } from "../../lib/stores/sql/audit-sums.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { auditMigrations } from "../../lib/stores/sql/migrations/audit.ts";
import { auditShardOfEvent } from "./audit-shard-name.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import type { AUDIT_SHARD, AuditShardCount, Methods, RefusedEvent } from "./object-operations.ts";
import { registryOf } from "./objects.ts";

const LISTED = "listed";

/** A share of one organization's audit records of one day. All events it is given belong to it. */
export class AuditShard extends DurableObject<StateBindings> implements Methods<typeof AUDIT_SHARD> {
  #database: SqlDatabase | undefined;
  #listed: boolean;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    this.#database = openDatabase(ctx.storage, [auditMigrations]);
    this.#listed = ctx.storage.kv.get(LISTED) === true;
  }

  async begin(event: AuditEvent): Promise<void> {
    await this.#list(event);
    beginAuditEvent(this.#db, event);
  }

  complete(id: string, completion: AuditCompletion): void {
    completeAuditEvent(this.#db, id, completion);
  }

  async append(events: readonly AuditEvent[]): Promise<void> {
    const [refused] = await this.appendAccepted(events);
    if (refused !== undefined) throw new Error(refused.cause);
  }

  async appendAccepted(events: readonly AuditEvent[]): Promise<readonly RefusedEvent[]> {
    const [first] = events;
    if (first === undefined) return [];
    await this.#list(first);
    if (this.#refusal(events) === undefined) return [];
    return events.flatMap((event, position) => {
      const cause = this.#refusal([event]);
      return cause === undefined ? [] : [{ position, cause }];
    });
  }

  query(filter: AuditFilter, page: AuditPageRequest): AuditPage {
    return queryAuditEvents(this.#db, filter, page);
  }

  tally(request: AuditTallyRequest): AuditTally {
    return tallyAuditEvents(this.#db, request);
  }

  counts(): readonly AuditShardCount[] {
    const rows = this.#db.all("SELECT type, outcome, SUM(count) AS count FROM audit_events GROUP BY type, outcome");
    return rows.map(({ type, outcome, count }) => ({ type, outcome, count: Number(count) })) as AuditShardCount[];
  }

  /** All at once, and with the tables: an object without anything costs nothing, and nobody waits for one of such a day. */
  async erase(): Promise<void> {
    this.#listed = false;
    this.#database = undefined;
    await this.ctx.storage.deleteAll();
  }

  get #db(): SqlDatabase {
    this.#database ??= openDatabase(this.ctx.storage, [auditMigrations]);
    return this.#database;
  }

  /** Writes all or none; then answers why. */
  #refusal(events: readonly AuditEvent[]): string | undefined {
    try {
      this.#db.transaction(() => {
        for (const event of events) appendAuditEvent(this.#db, event);
      });
      return undefined;
    } catch (error) {
      return causeOf(error);
    }
  }

  /** Before the first record: one that is not listed would never be found. */
  async #list(event: AuditEvent): Promise<void> {
    if (this.#listed) return;
    await registryOf(this.env).listAuditShard(auditShardOfEvent(event));
    this.ctx.storage.kv.put(LISTED, true);
    this.#listed = true;
  }
}
