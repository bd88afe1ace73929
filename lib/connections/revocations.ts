import type { OAuthConnectorConfiguration } from "../config/configuration.ts";
import { ulid } from "../kernel/ids.ts";
import type { Random } from "../kernel/random.ts";
import { causeOf } from "../logging/cause.ts";
import type { Logger } from "../logging/logger.ts";
import type { AuditEvent, AuditEventType } from "../stores/audit-log.ts";
import { dueAt, TOLD_AT_ONCE } from "../stores/connection-changes.ts";
import { type ConnectionKey, type ConnectionRecord, type Connections, heldKey, isHeld } from "../stores/connections.ts";
import { revoke } from "./provider.ts";
import { ProviderError, type ProviderPorts } from "./provider-request.ts";
import { keyOf } from "./refresh.ts";
import { ProviderNotResolved, type ProviderResolver } from "./resolved-provider.ts";
import { isOfProvider } from "./token-origin.ts";
import type { ConnectionTokens, Vault } from "./vault.ts";

/**
 * What providers are still to be told (RFC 7009, D218): a deleted connection, or a pair that serves nobody, is its own entry in that
 * list until its provider was told, or a day has passed.
 */
export interface Revocations {
  /** Seals a pair that serves nobody; its provider is told from a time on, unless somebody takes it out before. */
  hold(pair: UnkeptPair, revokeAt: number): Promise<ConnectionRecord>;
  /** The tokens of such a pair, for exactly one caller; undefined when it is gone, or is of another key. */
  take(of: ConnectionKey, connectionId: string): Promise<ConnectionTokens | undefined>;
  /** Tells the provider of such a pair now, instead of later. Never rejects. */
  release(of: ConnectionKey, connectionId: string): Promise<void>;
  /** Has a pair revoked that serves nobody: it lies in the store before the provider is told. Never rejects. */
  discard(pair: UnkeptPair): Promise<void>;
  /** Tells the provider of a deleted connection now. What is not told stays for later. Never rejects. */
  tell(record: ConnectionRecord): Promise<void>;
  /** Tells the providers of these, or of what is due, where nobody else is about to. Never rejects. */
  tellDue(records?: readonly ConnectionRecord[]): Promise<void>;
}

export interface UnkeptPair {
  /** What it was to be the connection of. */
  readonly of: ConnectionKey;
  /** Name of the connector. */
  readonly connector: string;
  readonly tokens: ConnectionTokens;
}

export interface RevocationPorts extends ProviderPorts {
  readonly random: Random;
  readonly logger: Pick<Logger, "warn">;
  readonly vault: Pick<Vault, "open" | "seal">;
  readonly resolver: ProviderResolver;
  readonly connectors: ReadonlyMap<string, OAuthConnectorConfiguration>;
  readonly event: (type: AuditEventType, of: ConnectionKey, more: Partial<AuditEvent>) => AuditEvent;
  readonly stores: {
    readonly connections: Pick<Connections, "connection" | "hold" | "takeHeld" | "deleted" | "postpone" | "purge">;
  };
}

/** Providers that are told in one go. */
const MOST_TOLD = 50;
/** Milliseconds in which a provider is told again and again, until the connection goes without. */
const TOLD_WITHIN = 86_400_000;
/** The longest time from one attempt to the next: it grows with the age of the entry. Milliseconds. */
const LONGEST_PAUSE = 3_600_000;
/** How long one look may tell providers: a function of Lambda ends after a minute. */
const TELLING = 20_000;

type Told = "yes" | "no" | "unsupported";

export function createRevocations(ports: RevocationPorts): Revocations {
  const { clock, random, logger, vault, resolver, connectors } = ports;
  const { connections } = ports.stores;

  /** Undefined: the provider cannot be told now. A mistake of the configuration, such as a wrong secret, may be mended. */
  async function told(name: string, tokens: ConnectionTokens | undefined): Promise<Told | undefined> {
    const connector = connectors.get(name);
    if (connector === undefined || tokens === undefined) return undefined;
    try {
      const provider = await resolver.resolve(connector, {});
      // Nobody else is told of them.
      if (!isOfProvider(tokens, provider, { connector })) return "no";
      return await revoke(connector, provider, tokens, ports);
    } catch (error) {
      if (!(error instanceof ProviderError || error instanceof ProviderNotResolved)) throw error;
      logger.warn("connection not revoked at its provider", { connector: name, cause: error.message });
      return undefined;
    }
  }

  async function tellAndPurge(record: ConnectionRecord): Promise<void> {
    const { connectionId, connector, deletedAt = clock.now() } = record;
    const isOver = clock.now() - deletedAt >= TOLD_WITHIN;
    const answer = (await told(connector, await vault.open(record.sealed, record))) ?? (isOver ? "no" : undefined);
    if (answer === undefined) return;
    const details = { connectionId, connector, revokedAtProvider: answer };
    const event = isHeld(record)
      ? ports.event("connection.revoked", { ...record, agent: "" }, { details, reason: "not_kept" })
      : ports.event("connection.revoked", record, { details });
    await connections.purge(keyOf(record), connectionId, event);
  }

  async function orLater(connector: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      logger.warn("connection not purged", { connector, cause: causeOf(error) });
    }
  }

  const tell = (record: ConnectionRecord) => orLater(record.connector, () => tellAndPurge(record));

  /** Of several instances that find it due, one tells. */
  const tellOne = (record: ConnectionRecord) =>
    orLater(record.connector, async () => {
      const now = clock.now();
      const age = Math.abs(now - (record.deletedAt ?? now));
      const next = now + Math.min(Math.max(age, TOLD_AT_ONCE), LONGEST_PAUSE);
      const isOurs = await connections.postpone(keyOf(record), record.connectionId, dueAt(record), next);
      if (isOurs) await tellAndPurge(record);
    });

  async function hold({ of, connector, tokens }: UnkeptPair, revokeAt: number): Promise<ConnectionRecord> {
    const now = clock.now();
    const connectionId = `connection_${ulid(now, random)}`;
    const key = heldKey(of, connectionId);
    const record: ConnectionRecord = {
      ...key,
      ...{ connectionId, connector, scopes: [], sealed: await vault.seal(tokens, key) },
      ...{ canRefresh: tokens.refreshToken !== undefined, state: "deleted", attempt: 0 },
      ...{ connectedAt: now, lastUsedAt: now, deletedAt: now, retryAt: revokeAt },
    };
    await connections.hold(record);
    return record;
  }

  return {
    hold,
    tell,
    async take(of, connectionId) {
      const record = await connections.takeHeld(heldKey(of, connectionId), connectionId);
      return record && vault.open(record.sealed, record);
    },
    async release(of, connectionId) {
      await orLater("", async () => {
        const record = await connections.connection(heldKey(of, connectionId));
        if (record !== undefined) await tellAndPurge(record);
      });
    },
    async discard(pair) {
      await orLater(pair.connector, async () => {
        let record: ConnectionRecord;
        try {
          record = await hold(pair, clock.now() + TOLD_AT_ONCE);
        } catch (error) {
          // The store is away: now, or never.
          await told(pair.connector, pair.tokens);
          throw error;
        }
        await tellAndPurge(record);
      });
    },
    async tellDue(records) {
      try {
        const due = records ?? (await connections.deleted(MOST_TOLD, clock.now()));
        const until = clock.now() + TELLING;
        for (const record of due) {
          await tellOne(record);
          // A provider that is silent takes its time for each; the others are due the next time.
          if (clock.now() > until) break;
        }
      } catch (error) {
        logger.warn("connections to revoke not read", { cause: causeOf(error) });
      }
    },
  };
}
