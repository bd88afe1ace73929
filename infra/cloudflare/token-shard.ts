import { DurableObject } from "cloudflare:workers";
import { pause } from "../../lib/kernel/timers.ts";
import type { ConnectionKey, ConnectionRecord, DisconnectedPeople } from "../../lib/stores/connections.ts";
import type { AuthorizationCodeRecord, GrantRecord, InteractionRecord } from "../../lib/stores/grants.ts";
import type { Lease, LeaseRequest } from "../../lib/stores/limits.ts";
import { expireApprovals, sqlApprovals } from "../../lib/stores/sql/approvals.ts";
import { startChain } from "../../lib/stores/sql/chains.ts";
import {
  deletedConnections,
  disconnectPeople,
  holdConnection,
  nextRevocation,
  postponeConnection,
  sqlConnections,
} from "../../lib/stores/sql/connections.ts";
import type { SqlDatabase } from "../../lib/stores/sql/database.ts";
import { beginInteraction, sqlGrants } from "../../lib/stores/sql/grants.ts";
import { cleanTokenShard, EXPIRING_IN_TOKEN_SHARD } from "../../lib/stores/sql/housekeeping.ts";
import { lease } from "../../lib/stores/sql/limits.ts";
import { approvalMigrations } from "../../lib/stores/sql/migrations/approvals.ts";
import { connectionMigrations } from "../../lib/stores/sql/migrations/connections.ts";
import { limitMigrations } from "../../lib/stores/sql/migrations/limits.ts";
import { outboxMigrations } from "../../lib/stores/sql/migrations/outbox.ts";
import { stopMigrations } from "../../lib/stores/sql/migrations/stops.ts";
import { tokenShardMigrations } from "../../lib/stores/sql/migrations/token-shard.ts";
import { outboxEffects, pendingOutbox, settleOutbox } from "../../lib/stores/sql/outbox.ts";
import { sqlRegisteredClients } from "../../lib/stores/sql/registered-clients.ts";
import { consumeSingleUse, isUsed } from "../../lib/stores/sql/single-use.ts";
import { copyStops, isStopped } from "../../lib/stores/sql/stops.ts";
import { acceptAssertion, introspectToken, issueToken, sqlTokens } from "../../lib/stores/sql/tokens.ts";
import { addTombstones, firstTombstone } from "../../lib/stores/sql/tombstones.ts";
import type { StoppableRecord } from "../../lib/stores/stop-subjects.ts";
import type { StopsRecord } from "../../lib/stores/stops.ts";
import type {
  AssertionUse,
  AssertionUseResult,
  TokenIssue,
  TokenIssueResult,
  TokenReference,
} from "../../lib/stores/tokens.ts";
import type { Tombstone } from "../../lib/stores/tombstone.ts";
import { changeWithAlarm, cleanExpired, cleaningTime, runAlarm, setAlarmBy } from "./alarm.ts";
import { openDatabase } from "./database.ts";
import type { StateBindings } from "./env.ts";
import { type ObjectLog, objectLog } from "./log.ts";
import type { TOKEN_SHARD } from "./object-operations.ts";
import { deliverEvents, deliverOutbox } from "./outbox.ts";
import { addSqlMethods, type SqlState } from "./sql-methods.ts";

/**
 * Tells providers of connections that serve no call any more (RFC 7009), and writes down what came of it. False: nobody here knows
 * providers.
 */
export type TellProviders = (records: readonly ConnectionRecord[]) => Promise<boolean>;

/** Connections whose providers are told by one alarm: each may take as long as two requests. */
const MOST_TOLD = 10;
/** From one alarm that told to the next, and where nobody can tell, milliseconds. */
const NEXT_TOLD = 1_000;
const NOBODY_TELLS = 3_600_000;

/** Approvals that one alarm ends: an organization has some hundred that are live. */
const MOST_EXPIRED = 500;

const ISSUED: TokenIssueResult = { outcome: "issued" };

/**
 * One of 256 shares of the region's tokens, grants, connections, single-use values and tombstones. `addSqlMethods` below gives it the
 * methods that are nothing but SQL.
 */
export class TokenShard extends DurableObject<StateBindings> {
  /** Own properties are no part of what other objects can call. */
  readonly state: ShardState;
  readonly #log = objectLog("token shard");
  /** Absent where the object is no part of the product, which knows providers. */
  readonly tellProviders: TellProviders | undefined;

  constructor(ctx: DurableObjectState, env: StateBindings) {
    super(ctx, env);
    const db = openDatabase(ctx.storage, [
      tokenShardMigrations,
      stopMigrations,
      limitMigrations,
      connectionMigrations,
      approvalMigrations,
      outboxMigrations,
    ]);
    this.state = shardState(ctx, env, db, this.#log);
  }

  async begin(interaction: InteractionRecord): Promise<void> {
    beginInteraction(this.state.db, interaction);
    await setAlarmBy(this.ctx.storage, cleaningTime(interaction.expiresAt, Date.now()));
  }

  async start(grant: GrantRecord, code: AuthorizationCodeRecord, reference: TokenReference): Promise<boolean> {
    const isStarted = startChain(this.state.db, grant, code, reference);
    if (isStarted) await setAlarmBy(this.ctx.storage, cleaningTime(code.expiresAt, grant.createdAt));
    return isStarted;
  }

  /** Twice the same request is one token: who lost the answer may ask again. */
  issue(request: TokenIssue): Promise<TokenIssueResult> {
    return this.state.change(
      (effects) => (this.#isIssued(request) ? ISSUED : issueToken(this.state.db, effects, request)),
      ({ outcome }) => outcome === "issued",
    );
  }

  async acceptAssertion(use: AssertionUse): Promise<AssertionUseResult> {
    const result = acceptAssertion(this.state.db, use);
    if (use.assertionId !== undefined && result.outcome === "accepted") {
      await setAlarmBy(this.ctx.storage, cleaningTime(use.assertionId.expiresAt, use.now));
    }
    return result;
  }

  hasTombstone(ids: readonly string[], of?: StoppableRecord): boolean {
    const { db } = this.state;
    return firstTombstone(db, ids) !== undefined || (of !== undefined && isStopped(db, of));
  }

  /** Those that expire are cleaned by an alarm that the shard's tokens set: no alarm is paid for here. */
  addTombstones(tombstones: readonly Tombstone[]): void {
    const { db } = this.state;
    db.transaction(() => addTombstones(db, tombstones));
  }

  copyStops(record: StopsRecord): void {
    copyStops(this.state.db, record);
  }

  async lease(request: LeaseRequest): Promise<Lease> {
    const answer = lease(this.state.db, request);
    if (answer.granted > 0) await setAlarmBy(this.ctx.storage, cleaningTime(answer.fullAt, request.now));
    return answer;
  }

  async consume(namespace: string, key: string, expiresAt: number, now: number): Promise<boolean> {
    const isFirst = consumeSingleUse(this.state.db, namespace, key, expiresAt, now);
    if (isFirst) await setAlarmBy(this.ctx.storage, cleaningTime(expiresAt, now));
    return isFirst;
  }

  isUsed(namespace: string, key: string, now: number): boolean {
    return isUsed(this.state.db, namespace, key, now);
  }

  holdConnection(record: ConnectionRecord): Promise<void> {
    return this.#withRevocation(() => holdConnection(this.state.db, record));
  }

  postponeConnection(key: ConnectionKey, connectionId: string, from: number, to: number): Promise<boolean> {
    return this.#withRevocation(() => postponeConnection(this.state.db, key, connectionId, from, to));
  }

  disconnectPeople(people: DisconnectedPeople): Promise<void> {
    return this.#withRevocation(() => disconnectPeople(this.state.db, people));
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const { db, forgetDelivered } = this.state;
    await runAlarm(this.#log, storage, async () => {
      forgetDelivered();
      expireApprovals(db, outboxEffects(db), Date.now(), MOST_EXPIRED);
      const failures = await deliverOutbox(db, this.env);
      await this.#revoke();
      await cleanExpired(storage, db, { clean: cleanTokenShard, tables: EXPIRING_IN_TOKEN_SHARD });
      return failures;
    });
  }

  /** A change after which a provider may have to be told: the alarm for that is set in the same turn. */
  async #withRevocation<T>(change: () => T): Promise<T> {
    const { storage } = this.ctx;
    const set = await storage.getAlarm();
    const result = change();
    const next = nextRevocation(this.state.db);
    if (next !== undefined && (set === null || set > next)) await storage.setAlarm(next);
    return result;
  }

  /** Tells providers what is due, and sets the alarm for what is due next. */
  async #revoke(): Promise<void> {
    const { db } = this.state;
    const due = deletedConnections(db, MOST_TOLD, Date.now());
    const isTold = due.length === 0 || ((await this.tellProviders?.(due)) ?? false);
    const next = nextRevocation(db);
    if (next === undefined) return;
    await setAlarmBy(this.ctx.storage, Math.max(next, Date.now() + (isTold ? NEXT_TOLD : NOBODY_TELLS)));
  }

  /** Both the hash and the id are of random bits that only the request's own caller has. */
  #isIssued({ reference, token }: TokenIssue): boolean {
    return introspectToken(this.state.db, reference, token.issuedAt)?.tokenId === token.tokenId;
  }
}

addSqlMethods<typeof TOKEN_SHARD, typeof TokenShard>(TokenShard, ({ state }) => state, {
  ...sqlGrants,
  ...sqlApprovals,
  introspect: sqlTokens.introspect,
  revoke: sqlTokens.revoke,
  exchange: sqlTokens.exchange,
  end: sqlTokens.end,
  createRegisteredClient: sqlRegisteredClients.create,
  registeredClient: sqlRegisteredClients.get,
  connection: sqlConnections.connection,
  storeConnection: sqlConnections.connect,
  beginRefresh: sqlConnections.beginRefresh,
  settleRefresh: sqlConnections.settleRefresh,
  noteConnectionUse: sqlConnections.noteUse,
  disconnect: sqlConnections.disconnect,
  takeHeldConnection: sqlConnections.takeHeld,
  purgeConnection: sqlConnections.purge,
  deletedConnections: sqlConnections.deleted,
  connectionsOf: sqlConnections.connectionsOf,
  connectionsIn: sqlConnections.connectionsIn,
  sealedOtherwise: sqlConnections.sealedOtherwise,
  rewrapConnection: sqlConnections.rewrap,
  countConnectionsByKey: sqlConnections.countByKey,
});

interface ShardState extends SqlState {
  /** Forgets the events that arrived. */
  forgetDelivered(): void;
}

/**
 * Between two deliveries, milliseconds: of a shard that is busy, events travel together. The first after a pause of that
 * length travels at once.
 */
const BETWEEN_DELIVERIES = 200;

/**
 * A change whose result tells that it left an event: that reaches its audit shard after the answer. What arrived is forgotten
 * in the commit of a later change, or by the alarm, so that it costs no commit of its own. It arrives a second time if the
 * object ends before that, and that changes nothing (D194).
 */
function shardState(ctx: DurableObjectState, env: StateBindings, db: SqlDatabase, log: ObjectLog): ShardState {
  let delivering = false;
  /** The newest entry that was tried. What failed on the way is the alarm's. */
  let tried = 0;
  let delivered: number[] = [];
  let lastAt = Number.NEGATIVE_INFINITY;

  const deliver = async (): Promise<void> => {
    try {
      do {
        const early = lastAt + BETWEEN_DELIVERIES - Date.now();
        if (early > 0) await pause(early);
        lastAt = Date.now();
        const { failures, last } = await deliverEvents(db, env, tried, (sequences) => delivered.push(...sequences));
        tried = last;
        log.failures(failures);
      } while (pendingOutbox(db, "event", { after: tried, limit: 1 }).length > 0);
    } catch (cause) {
      log.failures([{ kind: "event", cause }]);
    } finally {
      delivering = false;
    }
  };
  /** Whoever finds a delivery under way leaves its own to it. */
  const deliverSoon = (): void => {
    if (delivering) return;
    delivering = true;
    ctx.waitUntil(deliver());
  };
  const forgetDelivered = (): void => {
    if (delivered.length === 0) return;
    settleOutbox(db, delivered);
    delivered = [];
  };
  return {
    db,
    change: async (work, hadEffects) => {
      const changed = () => {
        const result = work(outboxEffects(db));
        if (hadEffects(result)) forgetDelivered();
        return result;
      };
      const result = await changeWithAlarm(ctx.storage, changed, hadEffects);
      if (hadEffects(result)) deliverSoon();
      return result;
    },
    forgetDelivered,
  };
}
