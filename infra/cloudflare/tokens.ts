import type { Lineage } from "../../lib/stores/lineage.ts";
import type { TokenRecord, Tokens } from "../../lib/stores/tokens.ts";
import { endsOf, tombstoneId } from "../../lib/stores/tombstone.ts";
import { chainShard, laneShards } from "../../lib/tokens/sharding.ts";
import type { StateBindings } from "./env.ts";
import { tokenShardOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";

/** Presenting an assertion twice is answered differently the second time. */
export function cloudflareTokens(env: StateBindings): Tokens {
  const shard = (number: number) => tokenShardOf(env, number);
  const hasTombstone = (number: number, ids: readonly string[]): Promise<boolean> =>
    repeatedly(async () => shard(number).hasTombstone(ids));
  const isLive = async (lineage: Lineage): Promise<boolean> => {
    const ids = endsOf(lineage);
    const found = await Promise.all(shardsOf(lineage).map((number) => hasTombstone(number, ids)));
    return !found.includes(true);
  };
  return {
    issue: (request) => repeatedly(async () => shard(request.reference.shard).issue(request)),
    acceptAssertion: (use) => shard(use.shard).acceptAssertion(use),
    introspect: async (reference, now) => {
      const ask = async (): Promise<TokenRecord | undefined> => shard(reference.shard).introspect(reference, now);
      const token = await repeatedly(ask);
      const lane = token && foreignLane(token, reference.shard);
      if (token === undefined || lane === undefined) return token;
      return (await hasTombstone(lane, [tombstoneId.clientTokens(token.clientId)])) ? undefined : token;
    },
    revoke: (reference, now, event) => repeatedly(async () => shard(reference.shard).revoke(reference, now, event)),
    exchange: async (request) => {
      const { token, reference } = request;
      const [first, ...others] = shardsOf(token);
      if (others.length > 0 && !(await isLive(token))) return false;
      return repeatedly(async () => shard(reference?.shard ?? first).exchange(request));
    },
    isLive,
    end: (ending) => repeatedly(async () => shard(shardsOf(ending.lineage)[0]).end(ending)),
  };
}

/**
 * Where the marks of a lineage are. A chain of an earlier release does not tell its shard: it is an API client's, in one of its
 * lanes.
 */
function shardsOf({ chainId, apiClientId }: Lineage): readonly [number, ...number[]] {
  const number = chainShard(chainId);
  if (number !== undefined) return [number];
  const [first = 0, ...others] = laneShards(apiClientId ?? chainId);
  return [first, ...others];
}

/** A lane of the API client that exchanged a token of somebody else's chain: marks of the client are not in the chain's shard. */
function foreignLane({ clientId }: TokenRecord, shard: number): number | undefined {
  const lanes = clientId.startsWith("client_") ? laneShards(clientId) : [shard];
  return lanes.includes(shard) ? undefined : lanes[0];
}
