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
import { deliverEvents } from "./event-delivery.ts";
import { cleanExpired, cleaningTime } from "./expiry.ts";
import { objectLog } from "./log.ts";
import { deliverOutbox } from "./outbox.ts";
import { changeAndWake, ring, wakeBy } from "./wake.ts";

const ISSUED: TokenIssueResult = { outcome: "issued" };

/** One of 256 shares of the region's tokens, single-use values and tombstones. */
export class TokenShard extends DurableObject<StateBindings> {
  readonly #db: SqlDatabase;
  readonly #log = objectLog("token shard");
  #delivering = false;
  /** The newest entry that was tried. What failed on the way is the alarm's. */
  #tried = 0;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    this.#db = openDatabase(ctx.storage, [tokenShardMigrations, outboxMigrations]);
  }

  /** Twice the same request is one token: who lost the answer may ask again. */
  async issue(request: TokenIssue): Promise<TokenIssueResult> {
    const result = await changeAndWake(
      this.ctx.storage,
      () => (this.#isIssued(request) ? ISSUED : issueToken(this.#db, outboxConsequences(this.#db), request)),
      ({ outcome }) => outcome === "issued",
    );
    if (result.outcome === "issued") this.#deliverSoon();
    return result;
  }

  async acceptAssertion(use: AssertionUse): Promise<AssertionUseResult> {
    const result = acceptAssertion(this.#db, use);
    if (use.assertionId !== undefined && result.outcome === "accepted") {
      await wakeBy(this.ctx.storage, cleaningTime(use.assertionId.expiresAt, use.now));
    }
    return result;
  }

  introspect(reference: TokenReference, now: number): TokenRecord | undefined {
    return introspectToken(this.#db, reference, now);
  }

  async revoke(reference: TokenReference, now: number, event: AuditEvent): Promise<boolean> {
    const change = () => revokeToken(this.#db, outboxConsequences(this.#db), reference, now, event);
    const revoked = await changeAndWake(this.ctx.storage, change, (isRevoked) => isRevoked);
    if (revoked) this.#deliverSoon();
    return revoked;
  }

  async consume(namespace: string, key: string, expiresAt: number, now: number): Promise<boolean> {
    const isFirst = consumeSingleUse(this.#db, namespace, key, expiresAt, now);
    if (isFirst) await wakeBy(this.ctx.storage, cleaningTime(expiresAt, now));
    return isFirst;
  }

  /** Those that expire are cleaned by an alarm that the shard's tokens set: no alarm is paid for here. */
  addTombstones(tombstones: readonly Tombstone[]): void {
    this.#db.transaction(() => addTombstones(this.#db, tombstones));
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    await ring(this.#log, storage, async () => {
      const failures = await deliverOutbox(this.#db, this.env);
      await cleanExpired(storage, this.#db, {
        clean: cleanTokenShard,
        tables: ["tokens", "single_use", "tombstones"],
      });
      return failures;
    });
  }

  /** Both the hash and the id are of random bits that only the request's own caller has. */
  #isIssued({ reference, token }: TokenIssue): boolean {
    return introspectToken(this.#db, reference, token.issuedAt)?.tokenId === token.tokenId;
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
        this.#log.failures(failures);
      } while (pendingOutbox(this.#db, "event", { after: this.#tried, limit: 1 }).length > 0);
    } catch (cause) {
      this.#log.failures([{ kind: "event", cause }]);
    } finally {
      this.#delivering = false;
    }
  }
}
