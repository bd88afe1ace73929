import type { Grants } from "../grants.ts";
import { getCode, getGrant, startChain } from "./chains.ts";
import { getConsent, giveConsent, revokeConsent } from "./consents.ts";
import { localConsequences } from "./consequences.ts";
import type { SqlExecutor } from "./executor.ts";
import { advanceInteraction, beginInteraction, finishInteraction, getInteraction } from "./interactions.ts";
import { getRefreshToken, redeemCode, rotateRefreshToken } from "./redemptions.ts";

/**
 * Reads are decided by their last statement: a grant never changes, and a tombstone never goes while it matters. Whether a
 * value was used is decided anew by who uses it.
 */
export function sqlGrants(executor: SqlExecutor): Grants {
  return {
    begin: (interaction) => executor.write((db) => beginInteraction(db, interaction)),
    interaction: (interactionHash, now) => executor.readLatest((db) => getInteraction(db, interactionHash, now)),
    advance: (next, now) => executor.write((db) => advanceInteraction(db, next, now)),
    finish: (interactionHash, revision, now) =>
      executor.write((db) => finishInteraction(db, interactionHash, revision, now)),
    consent: (subject, clientId) => executor.readLatest((db) => getConsent(db, subject, clientId)),
    giveConsent: (consent, event) => executor.write((db) => giveConsent(db, localConsequences(db), consent, event)),
    revokeConsent: (subject, clientId, event) =>
      executor.write((db) => revokeConsent(db, localConsequences(db), subject, clientId, event)),
    grant: (chainId, now) => executor.readLatest((db) => getGrant(db, chainId, now)),
    start: (grant, code, reference) => executor.write((db) => startChain(db, grant, code, reference)),
    code: (reference, now) => executor.readLatest((db) => getCode(db, reference, now)),
    redeem: (redemption) => executor.write((db) => redeemCode(db, localConsequences(db), redemption)),
    refreshToken: (reference, now) => executor.readLatest((db) => getRefreshToken(db, reference, now)),
    rotate: (rotation) => executor.write((db) => rotateRefreshToken(db, localConsequences(db), rotation)),
  };
}
