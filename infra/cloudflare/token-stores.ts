import { chainShard, grantShard, laneShards } from "../../lib/authorization-server/tokens/sharding.ts";
import { boundedCache } from "../../lib/kernel/bounded-cache.ts";
import type { Clock } from "../../lib/kernel/clock.ts";
import { consentCursor, type Grants } from "../../lib/stores/grants.ts";
import type { Lineage } from "../../lib/stores/lineage.ts";
import type { RegisteredClientRecord, RegisteredClients } from "../../lib/stores/registered-clients.ts";
import type { SingleUse } from "../../lib/stores/single-use.ts";
import type { TokenRecord, Tokens } from "../../lib/stores/tokens.ts";
import { endsOf, tombstoneId } from "../../lib/stores/tombstone.ts";
import { askAll, walk } from "./connections.ts";
import type { StateBindings } from "./env.ts";
import { tokenShardOf, tokenShardOfValue } from "./objects.ts";

/** Tokens, each in the shard of its chain or in a lane of its API client. */
export function cloudflareTokens(env: StateBindings): Tokens {
  const shard = (number: number) => tokenShardOf(env, number);
  const isLive = async (lineage: Lineage): Promise<boolean> => {
    const ids = endsOf(lineage);
    const found = await Promise.all(shardsOf(lineage).map((number) => shard(number).hasTombstone(ids, lineage)));
    return !found.includes(true);
  };
  return {
    issue: (request) => shard(request.reference.shard).issue(request),
    acceptAssertion: (use) => shard(use.shard).acceptAssertion(use),
    introspect: async (reference, now) => {
      const token = await shard(reference.shard).introspect(reference, now);
      const lane = token && foreignLane(token, reference.shard);
      if (token === undefined || lane === undefined) return token;
      return (await shard(lane).hasTombstone([tombstoneId.clientTokens(token.clientId)])) ? undefined : token;
    },
    revoke: (reference, now, event) => shard(reference.shard).revoke(reference, now, event),
    exchange: async (request) => {
      const { token, reference } = request;
      const [first, ...others] = shardsOf(token);
      if (others.length > 0 && !(await isLive(token))) return false;
      return shard(reference?.shard ?? first).exchange(request);
    },
    isLive,
    end: (ending) => shard(shardsOf(ending.lineage)[0]).end(ending),
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

/**
 * Grants, in the shard of person and client; interactions, each in the shard of its hash. Whatever is listed by one of the two alone
 * is looked for in all shards.
 */
export function cloudflareGrants(env: StateBindings): Grants {
  const shard = (number: number) => tokenShardOf(env, number);
  const ofInteraction = (interactionHash: string) => tokenShardOfValue(env, "interaction", interactionHash);
  const between = (subject: string, clientId: string) => shard(grantShard(subject, clientId));
  return {
    begin: (interaction) => ofInteraction(interaction.interactionHash).begin(interaction),
    interaction: (interactionHash, now) => ofInteraction(interactionHash).interaction(interactionHash, now),
    advance: (next, now) => ofInteraction(next.interactionHash).advance(next, now),
    finish: (interactionHash, revision, now) => ofInteraction(interactionHash).finish(interactionHash, revision, now),
    consent: (subject, clientId) => between(subject, clientId).consent(subject, clientId),
    giveConsent: (consent, event) => between(consent.subject, consent.clientId).giveConsent(consent, event),
    revokeConsent: (subject, clientId, event) => between(subject, clientId).revokeConsent(subject, clientId, event),
    consentsOf: async (subjects) => (await askAll(env, (one) => one.consentsOf(subjects))).flat(),
    consentsTo: (to, page) => walk(env, page, (one, request) => one.consentsTo(to, request), consentCursor),
    grant: async (chainId, now) => {
      const number = chainShard(chainId);
      return number === undefined ? undefined : shard(number).grant(chainId, now);
    },
    start: (grant, code, reference) => shard(reference.shard).start(grant, code, reference),
    code: (reference, now) => shard(reference.shard).code(reference, now),
    redeem: (redemption) => shard(redemption.reference.shard).redeem(redemption),
    refreshToken: (reference, now) => shard(reference.shard).refreshToken(reference, now),
    rotate: (rotation) => shard(rotation.reference.shard).rotate(rotation),
  };
}

/** Records that one isolate remembers. They never change. */
const CAPACITY = 1_000;

export function cloudflareRegisteredClients(env: StateBindings): RegisteredClients {
  const memory = boundedCache<string, RegisteredClientRecord>(CAPACITY);
  const shard = (clientId: string) => tokenShardOfValue(env, "registered-client", clientId);
  return {
    create: (record, event) => shard(record.clientId).createRegisteredClient(record, event),
    get: async (clientId) => {
      const known = memory.get(clientId);
      if (known !== undefined) return known;
      const record = await shard(clientId).registeredClient(clientId);
      if (record !== undefined) memory.put(clientId, record);
      return record;
    },
  };
}

export function cloudflareSingleUse(env: StateBindings, clock: Clock): SingleUse {
  return {
    consume: async (namespace, key, expiresAt) =>
      tokenShardOfValue(env, namespace, key).consume(namespace, key, expiresAt, clock.now()),
    isUsed: async (namespace, key) => tokenShardOfValue(env, namespace, key).isUsed(namespace, key, clock.now()),
  };
}
