import type { Grants } from "../../lib/stores/grants.ts";
import { chainShard, grantShard } from "../../lib/tokens/sharding.ts";
import type { StateBindings } from "./env.ts";
import { tokenShardOf } from "./objects.ts";
import { repeatedly } from "./repeat.ts";
import { valueShard } from "./value-shard.ts";

/**
 * Redemptions and rotations that come again are known by their events, so they are asked for until they are answered. A step
 * of an interaction is asked for once: the second time it could not be told from another caller's.
 */
export function cloudflareGrants(env: StateBindings): Grants {
  const shard = (number: number) => tokenShardOf(env, number);
  const ofInteraction = (interactionHash: string) => shard(valueShard("interaction", interactionHash));
  const between = (subject: string, clientId: string) => shard(grantShard(subject, clientId));
  return {
    begin: (interaction) => repeatedly(async () => ofInteraction(interaction.interactionHash).begin(interaction)),
    interaction: (interactionHash, now) =>
      repeatedly(async () => ofInteraction(interactionHash).interaction(interactionHash, now)),
    advance: async (next, now) => ofInteraction(next.interactionHash).advance(next, now),
    finish: async (interactionHash, revision, now) =>
      ofInteraction(interactionHash).finish(interactionHash, revision, now),
    consent: (subject, clientId) => repeatedly(async () => between(subject, clientId).consent(subject, clientId)),
    giveConsent: (consent, event) =>
      repeatedly(async () => between(consent.subject, consent.clientId).giveConsent(consent, event)),
    revokeConsent: (subject, clientId, event) =>
      repeatedly(async () => between(subject, clientId).revokeConsent(subject, clientId, event)),
    grant: async (chainId, now) => {
      const number = chainShard(chainId);
      return number === undefined ? undefined : repeatedly(async () => shard(number).grant(chainId, now));
    },
    start: (grant, code, reference) => repeatedly(async () => shard(reference.shard).start(grant, code, reference)),
    code: (reference, now) => repeatedly(async () => shard(reference.shard).code(reference, now)),
    redeem: (redemption) => repeatedly(async () => shard(redemption.reference.shard).redeem(redemption)),
    refreshToken: (reference, now) => repeatedly(async () => shard(reference.shard).refreshToken(reference, now)),
    rotate: (rotation) => repeatedly(async () => shard(rotation.reference.shard).rotate(rotation)),
  };
}
