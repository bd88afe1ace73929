import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import { cleanTokenShard, EXPIRING_IN_TOKEN_SHARD } from "../../lib/stores/sql/housekeeping.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { tokenShardMigrations } from "../../lib/stores/sql/migrations/token-shard.ts";
import { consumeSingleUse } from "../../lib/stores/sql/single-use.ts";
import {
  acceptAssertion,
  endLineage,
  exchangeToken,
  introspectToken,
  issueToken,
  revokeToken,
} from "../../lib/stores/sql/tokens.ts";
import { addTombstones, firstTombstone } from "../../lib/stores/sql/tombstones.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  Ending,
  TokenExchange,
  TokenIssue,
  TokenIssueResult,
  TokenRecord,
  TokenReference,
} from "../../lib/stores/tokens.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { cleanExpired, cleaningTime } from "./expiry.ts";
import { objectLog } from "./log.ts";
import { deliverOutbox } from "./outbox.ts";
import { type ShardState, shardState } from "./shard-state.ts";
import { TokenShardGrants } from "./token-shard-grants.ts";
import { ring, wakeBy } from "./wake.ts";

const ISSUED: TokenIssueResult = { outcome: "issued" };

/** One of 256 shares of the region's tokens, grants, single-use values and tombstones. */
export class TokenShard extends TokenShardGrants {
  protected readonly state: ShardState;
  readonly #log = objectLog("token shard");

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    const db = openDatabase(ctx.storage, [tokenShardMigrations, outboxMigrations]);
    this.state = shardState(ctx, env, db, this.#log);
  }

  /** Twice the same request is one token: who lost the answer may ask again. */
  issue(request: TokenIssue): Promise<TokenIssueResult> {
    return this.state.change(
      (consequences) => (this.#isIssued(request) ? ISSUED : issueToken(this.state.db, consequences, request)),
      ({ outcome }) => outcome === "issued",
    );
  }

  async acceptAssertion(use: AssertionUse): Promise<AssertionUseResult> {
    const result = acceptAssertion(this.state.db, use);
    if (use.assertionId !== undefined && result.outcome === "accepted") {
      await wakeBy(this.ctx.storage, cleaningTime(use.assertionId.expiresAt, use.now));
    }
    return result;
  }

  introspect(reference: TokenReference, now: number): TokenRecord | undefined {
    return introspectToken(this.state.db, reference, now);
  }

  revoke(reference: TokenReference, now: number, event: AuditEvent): Promise<boolean> {
    return this.state.change((consequences) => revokeToken(this.state.db, consequences, reference, now, event), isTrue);
  }

  exchange(request: TokenExchange): Promise<boolean> {
    return this.state.change((consequences) => exchangeToken(this.state.db, consequences, request), isTrue);
  }

  end(ending: Ending): Promise<boolean> {
    return this.state.change((consequences) => endLineage(this.state.db, consequences, ending), isTrue);
  }

  /** Whether any of the ids is dead here. */
  hasTombstone(ids: readonly string[]): boolean {
    return firstTombstone(this.state.db, ids) !== undefined;
  }

  async consume(namespace: string, key: string, expiresAt: number, now: number): Promise<boolean> {
    const isFirst = consumeSingleUse(this.state.db, namespace, key, expiresAt, now);
    if (isFirst) await wakeBy(this.ctx.storage, cleaningTime(expiresAt, now));
    return isFirst;
  }

  /** Those that expire are cleaned by an alarm that the shard's tokens set: no alarm is paid for here. */
  addTombstones(tombstones: readonly Tombstone[]): void {
    const { db } = this.state;
    db.transaction(() => addTombstones(db, tombstones));
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const { db } = this.state;
    await ring(this.#log, storage, async () => {
      const failures = await deliverOutbox(db, this.env);
      await cleanExpired(storage, db, { clean: cleanTokenShard, tables: EXPIRING_IN_TOKEN_SHARD });
      return failures;
    });
  }

  /** Both the hash and the id are of random bits that only the request's own caller has. */
  #isIssued({ reference, token }: TokenIssue): boolean {
    return introspectToken(this.state.db, reference, token.issuedAt)?.tokenId === token.tokenId;
  }
}

function isTrue(result: boolean): boolean {
  return result;
}
