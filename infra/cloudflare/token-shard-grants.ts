import { DurableObject } from "cloudflare:workers";
import type { AuditEvent } from "../../lib/stores/audit-log.ts";
import type {
  AuthorizationCodeRecord,
  CodeRedemption,
  ConsentRecord,
  FoundCode,
  FoundRefreshToken,
  GrantRecord,
  InteractionRecord,
  RedemptionResult,
  Rotation,
  RotationResult,
} from "../../lib/stores/grants.ts";
import type { RegisteredClientRecord } from "../../lib/stores/registered-clients.ts";
import { getCode, getGrant, startChain } from "../../lib/stores/sql/chains.ts";
import { getConsent, giveConsent, revokeConsent } from "../../lib/stores/sql/consents.ts";
import {
  advanceInteraction,
  beginInteraction,
  finishInteraction,
  getInteraction,
} from "../../lib/stores/sql/interactions.ts";
import { getRefreshToken, redeemCode, rotateRefreshToken } from "../../lib/stores/sql/redemptions.ts";
import { createRegisteredClient, getRegisteredClient } from "../../lib/stores/sql/registered-clients.ts";
import type { TokenReference } from "../../lib/stores/tokens.ts";
import type { StateBindings } from "./env.ts";
import { cleaningTime } from "./expiry.ts";
import type { ShardState } from "./shard-state.ts";
import { wakeBy } from "./wake.ts";

/** A token shard's interactions, consents, chains that people start, and clients that registered themselves. */
export abstract class TokenShardGrants extends DurableObject<StateBindings> {
  /** Own properties are no part of what other objects can call. */
  protected abstract readonly state: ShardState;

  async begin(interaction: InteractionRecord): Promise<void> {
    beginInteraction(this.state.db, interaction);
    await wakeBy(this.ctx.storage, cleaningTime(interaction.expiresAt, Date.now()));
  }

  interaction(interactionHash: string, now: number): InteractionRecord | undefined {
    return getInteraction(this.state.db, interactionHash, now);
  }

  advance(next: InteractionRecord, now: number): boolean {
    return advanceInteraction(this.state.db, next, now);
  }

  finish(interactionHash: string, revision: number, now: number): boolean {
    return finishInteraction(this.state.db, interactionHash, revision, now);
  }

  consent(subject: string, clientId: string): ConsentRecord | undefined {
    return getConsent(this.state.db, subject, clientId);
  }

  giveConsent(consent: ConsentRecord, event: AuditEvent): Promise<ConsentRecord> {
    return this.state.change((consequences) => giveConsent(this.state.db, consequences, consent, event), always);
  }

  revokeConsent(subject: string, clientId: string, event: AuditEvent): Promise<boolean> {
    return this.state.change(
      (consequences) => revokeConsent(this.state.db, consequences, subject, clientId, event),
      (isRevoked) => isRevoked,
    );
  }

  grant(chainId: string, now: number): GrantRecord | undefined {
    return getGrant(this.state.db, chainId, now);
  }

  async start(grant: GrantRecord, code: AuthorizationCodeRecord, reference: TokenReference): Promise<boolean> {
    const isStarted = startChain(this.state.db, grant, code, reference);
    if (isStarted) await wakeBy(this.ctx.storage, cleaningTime(code.expiresAt, grant.createdAt));
    return isStarted;
  }

  code(reference: TokenReference, now: number): FoundCode | undefined {
    return getCode(this.state.db, reference, now);
  }

  redeem(redemption: CodeRedemption): Promise<RedemptionResult> {
    return this.state.change(
      (consequences) => redeemCode(this.state.db, consequences, redemption),
      (result) => result !== "ended",
    );
  }

  refreshToken(reference: TokenReference, now: number): FoundRefreshToken | undefined {
    return getRefreshToken(this.state.db, reference, now);
  }

  rotate(rotation: Rotation): Promise<RotationResult> {
    return this.state.change(
      (consequences) => rotateRefreshToken(this.state.db, consequences, rotation),
      ({ outcome }) => outcome !== "ended",
    );
  }

  createRegisteredClient(record: RegisteredClientRecord, event: AuditEvent): Promise<void> {
    return this.state.change(
      (consequences) => createRegisteredClient(this.state.db, consequences, record, event),
      always,
    );
  }

  registeredClient(clientId: string): RegisteredClientRecord | undefined {
    return getRegisteredClient(this.state.db, clientId);
  }
}

function always(): boolean {
  return true;
}
