import { DurableObject } from "cloudflare:workers";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { cleanTokenShard } from "../../lib/stores/sql/housekeeping.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { tokenShardMigrations } from "../../lib/stores/sql/migrations/token-shard.ts";
import { outboxConsequences, pendingOutbox } from "../../lib/stores/sql/outbox.ts";
import { consumeSingleUse } from "../../lib/stores/sql/single-use.ts";
import { acceptAssertion, introspectToken, issueToken, revokeToken } from "../../lib/stores/sql/tokens.ts";
import { addTombstones } from "../../lib/stores/sql/tombstones.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  TokenIssue,
  TokenIssueResult,
  TokenRecord,
  TokenReference,
} from "../../lib/stores/tokens.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { cleanExpired, cleaningTime } from "./expiry.ts";
import { logFailures } from "./log.ts";
import { deliverEvents, deliverOutbox, REDELIVERY_DELAY } from "./outbox.ts";
import { wakeBy } from "./wake.ts";

/** One of 256 shares of the region's tokens, single-use values and tombstones. */
export class TokenShard extends DurableObject<StateBindings> {
  readonly #db: SqlDatabase;
  #delivering = false;
  /** The newest entry that was tried. What failed on the way is the alarm's. */
  #tried = 0;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    this.#db = openDatabase(ctx.storage, [tokenShardMigrations, outboxMigrations]);
  }

  async issue(request: TokenIssue): Promise<TokenIssueResult> {
    // Set first: a crash right after the commit must find it. The cleaning of what expires starts from it too.
    await wakeBy(this.ctx.storage, Date.now() + REDELIVERY_DELAY);
    const result = issueToken(this.#db, outboxConsequences(this.#db), request);
    if (result.outcome === "issued") this.#deliverSoon();
    return result;
  }

  async acceptAssertion(use: AssertionUse): Promise<AssertionUseResult> {
    if (use.assertionId !== undefined) {
      await wakeBy(this.ctx.storage, cleaningTime(use.assertionId.expiresAt, use.now));
    }
    return acceptAssertion(this.#db, use);
  }

  introspect(reference: TokenReference, now: number): TokenRecord | undefined {
    return introspectToken(this.#db, reference, now);
  }

  async revoke(reference: TokenReference, now: number, event: AuditEvent): Promise<boolean> {
    await wakeBy(this.ctx.storage, Date.now() + REDELIVERY_DELAY);
    const revoked = revokeToken(this.#db, outboxConsequences(this.#db), reference, now, event);
    if (revoked) this.#deliverSoon();
    return revoked;
  }

  async consume(namespace: string, key: string, expiresAt: number, now: number): Promise<boolean> {
    await wakeBy(this.ctx.storage, cleaningTime(expiresAt, now));
    return consumeSingleUse(this.#db, namespace, key, expiresAt, now);
  }

  addTombstones(tombstones: readonly Tombstone[]): void {
    this.#db.transaction(() => addTombstones(this.#db, tombstones));
  }

  override async alarm(): Promise<void> {
    const failures = await deliverOutbox(this.#db, this.env);
    logFailures("token shard", failures);
    if (failures.length > 0) await wakeBy(this.ctx.storage, Date.now() + REDELIVERY_DELAY);
    await cleanExpired(this.ctx.storage, this.#db, {
      clean: cleanTokenShard,
      tables: ["tokens", "single_use", "tombstones"],
    });
  }

  /** Audit records reach their shard after the answer; whoever finds a delivery under way leaves its own to it. */
  #deliverSoon(): void {
    if (this.#delivering) return;
    this.#delivering = true;
    this.ctx.waitUntil(this.#deliver());
  }

  async #deliver(): Promise<void> {
    try {
      do {
        const { failures, last } = await deliverEvents(this.#db, this.env, this.#tried);
        this.#tried = last;
        logFailures("token shard", failures);
      } while (pendingOutbox(this.#db, "event", { after: this.#tried, limit: 1 }).length > 0);
    } catch (cause) {
      logFailures("token shard", [{ kind: "event", cause }]);
    } finally {
      this.#delivering = false;
    }
  }
}
