import { SHARDS } from "../../lib/authorization-server/tokens/sharding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { connectionCursor, sealedCursor } from "../../lib/stores/connection-changes.ts";
import type { ConnectionKey, ConnectionRecord, Connections } from "../../lib/stores/connections.ts";
import type { Port } from "../../lib/stores/operations.ts";
import type { Page, PageRequest } from "../../lib/stores/paging.ts";
import type { StateBindings } from "./env.ts";
import type { TOKEN_SHARD } from "./object-operations.ts";
import { connectionShardOf, tokenShardOf } from "./objects.ts";

/** Shards that a list asks at a time. */
const WAVE = 32;

type Shard = Port<typeof TOKEN_SHARD>;

/** People's accounts at providers, each in the shard of its organization and person. Lists walk through all shards. */
export function cloudflareConnections(env: StateBindings): Connections {
  const shard = (key: Pick<ConnectionKey, "organizationId" | "person">) => connectionShardOf(env, key);
  const waves = (first: number, end: number) => wavesOf(env, first, end);
  return {
    connection: (key) => shard(key).connection(key),
    connect: async (record, event) => shard(record).storeConnection(record, event),
    beginRefresh: async (intent) => shard(intent.key).beginRefresh(intent),
    settleRefresh: (outcome, event) => shard(outcome.key).settleRefresh(outcome, event),
    noteUse: (key, connectionId, usedAt) => shard(key).noteConnectionUse(key, connectionId, usedAt),
    disconnect: async (key, connectionId, event) => shard(key).disconnect(key, connectionId, event),
    purge: (key, connectionId, event) => shard(key).purgeConnection(key, connectionId, event),
    hold: (record) => shard(record).holdConnection(record),
    takeHeld: async (key, connectionId) => shard(key).takeHeldConnection(key, connectionId),
    postpone: async (key, connectionId, from, to) => shard(key).postponeConnection(key, connectionId, from, to),
    // Each shard tells the providers of its own by an alarm: nobody asks all of them for that.
    deleted: async (limit, now) => {
      const found: ConnectionRecord[] = [];
      // Those that no provider takes back for now must not keep the ones of other shards waiting.
      const start = webCryptoRandom.bytes(1)[0] ?? 0;
      for (const wave of [...waves(start, SHARDS), ...waves(0, start)]) {
        if (found.length >= limit) break;
        const lists = await Promise.all(wave.map(({ shard: one }) => one.deletedConnections(limit, now)));
        found.push(...lists.flat());
      }
      return found.slice(0, limit);
    },
    connectionsOf: (organizationId, person) => shard({ organizationId, person }).connectionsOf(organizationId, person),
    connectionsIn: (organizationId, page) =>
      walk(env, page, (one, request) => one.connectionsIn(organizationId, request), connectionCursor),
    sealedOtherwise: (keyId, page) =>
      walk(env, page, (one, request) => one.sealedOtherwise(keyId, request), sealedCursor),
    rewrap: (key, former, next) => shard(key).rewrapConnection(key, former, next),
    countByKey: async () => {
      const sum: Record<string, number> = {};
      const counts = await askAll(env, (one) => one.countConnectionsByKey());
      for (const [keyId, count] of counts.flatMap((one) => Object.entries(one))) sum[keyId] = (sum[keyId] ?? 0) + count;
      return sum;
    },
  };
}

interface NumberedShard {
  readonly number: number;
  readonly shard: Shard;
}

/** What all shards answer, as many at a time as are asked at once. */
export async function askAll<T>(env: StateBindings, ask: (shard: Shard) => Promise<T>): Promise<readonly T[]> {
  const answers: T[] = [];
  for (const wave of wavesOf(env, 0, SHARDS)) answers.push(...(await Promise.all(wave.map(({ shard }) => ask(shard)))));
  return answers;
}

/** The shards from `first` to before `end`, as many at a time as are asked at once. */
function wavesOf(env: StateBindings, first: number, end: number): readonly (readonly NumberedShard[])[] {
  return Array.from({ length: Math.ceil((end - first) / WAVE) }, (_, wave) => {
    const start = first + wave * WAVE;
    return Array.from({ length: Math.min(WAVE, end - start) }, (_shard, i) => ({
      number: start + i,
      shard: tokenShardOf(env, start + i),
    }));
  });
}

/** A page from one shard after the other. Its cursor is the number of a shard and, within that, the shard's own. */
export async function walk<T>(
  env: StateBindings,
  { limit, cursor }: PageRequest,
  ask: (shard: Shard, page: PageRequest) => Promise<Page<T>>,
  cursorOf: (item: T) => string,
): Promise<Page<T>> {
  const { first, within } = positionOf(cursor);
  const items: T[] = [];
  for (const wave of wavesOf(env, first, SHARDS)) {
    const pages = await Promise.all(
      wave.map(({ number, shard }) =>
        ask(shard, { limit, ...(number === first && within !== undefined && { cursor: within }) }),
      ),
    );
    for (const [index, page] of pages.entries()) {
      const number = wave[index]?.number ?? first;
      const taken = page.items.slice(0, limit - items.length);
      items.push(...taken);
      const last = taken.at(-1);
      const isWhole = taken.length === page.items.length && page.nextCursor === undefined;
      if (isWhole && items.length < limit) continue;
      if (!isWhole) return { items, nextCursor: last === undefined ? `${number}` : `${number}.${cursorOf(last)}` };
      return number + 1 < SHARDS ? { items, nextCursor: `${number + 1}` } : { items };
    }
  }
  return { items };
}

function positionOf(cursor: string | undefined): { readonly first: number; readonly within?: string } {
  const [, number, within] = /^(\d{1,3})(?:\.([A-Za-z0-9_-]+))?$/.exec(cursor ?? "") ?? [];
  const first = Number(number ?? 0);
  if (first >= SHARDS) return { first: 0 };
  return within === undefined ? { first } : { first, within };
}
