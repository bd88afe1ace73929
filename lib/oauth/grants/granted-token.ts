import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import { ulid } from "../../ids.ts";
import type { VerificationRecord } from "../../stores/api-clients.ts";
import type { ApiClientToken, TokenIssue, TokenIssueResult } from "../../stores/tokens.ts";
import type { MintedToken } from "../../tokens/opaque.ts";
import { newChainId } from "../../tokens/sharding.ts";
import type { AcceptedClaims } from "../assertion-claims.ts";
import { assertionIdHash, type VerifiedAssertion } from "../client-assertion.ts";
import { OAuthError } from "../errors.ts";
import { oidcProviderOf } from "../provider.ts";
import { invalidClient, refusedByStore } from "../refusals.ts";
import type { ClientRequest } from "../request.ts";
import { selectAudience } from "../resource-indicator.ts";
import { scopesFor } from "../scope.ts";

/** A request for a token whose assertion passed every check of its own. */
export interface AcceptedRequest {
  readonly assertion: VerifiedAssertion;
  readonly claims: AcceptedClaims;
  readonly minted: MintedToken;
  readonly request: ClientRequest;
}

export interface GrantedToken {
  readonly token: ApiClientToken;
  /** The record that the token was decided on. */
  readonly client: VerificationRecord;
}

/** Each further decision means that the owner changed the grants again while the one before was on its way. */
const MAX_DECISIONS = 5;

/**
 * Decides on audience and scopes and issues the token. The store has the last word: when the owner changed what the client
 * is granted since its record was read, decides anew on what is granted now.
 *
 * @throws {OAuthError} `invalid_client`, `invalid_scope`, `invalid_target`
 */
export async function issueAsGranted(accepted: AcceptedRequest, dependencies: Dependencies): Promise<GrantedToken> {
  let decided = await decide(accepted, dependencies);
  for (let decisions = 1; ; decisions++) {
    const result = await issue(accepted, decided, dependencies);
    if (result.outcome === "issued") return decided;
    if (result.outcome === "refused") throw refusedByStore(result);
    if (decisions === MAX_DECISIONS) throw new OAuthError("invalid_scope", { description: UNSTEADY });
    decided = decideOn(await readAnew(accepted, dependencies), accepted, dependencies);
  }
}

/**
 * A cached record may lack what the owner just granted, so what it refuses is decided once more on an authoritative read,
 * as long as sender and client have budget (checklist 7).
 */
async function decide(accepted: AcceptedRequest, dependencies: Dependencies): Promise<GrantedToken> {
  const { client, authoritative } = accepted.assertion;
  const { source } = accepted.request;
  try {
    return decideOn(client, accepted, dependencies);
  } catch (error) {
    if (authoritative || !dependencies.rereads.allow(client.clientId, source)) throw error;
    const decided = decideOn(await readAnew(accepted, dependencies), accepted, dependencies);
    dependencies.rereads.refund(client.clientId, source);
    return decided;
  }
}

/** The client as it is now. The key that signed the assertion must still be one of its active ones (D8). */
async function readAnew(
  { assertion: { client, keyPairId } }: AcceptedRequest,
  { stores }: Dependencies,
): Promise<VerificationRecord> {
  const { record } = await stores.apiClients.getForVerification(client.clientId, { authoritative: true });
  if (record === undefined) throw invalidClient("invalid client", "deleted meanwhile");
  if (record.keyPairs.some((keyPair) => keyPair.keyPairId === keyPairId)) return record;
  throw invalidClient("invalid JWT signature", "the key was revoked meanwhile");
}

/** The token starts a chain, in the shard that its own text names. */
function decideOn(
  client: VerificationRecord,
  { assertion: { keyPairId }, minted: { reference }, request: { form } }: AcceptedRequest,
  { configuration, clock, random }: Dependencies,
): GrantedToken {
  const snapshot = configuration().configuration;
  const { audience, kind } = selectAudience(form.get("resource"), client.resources, snapshot);
  const scopes = scopesFor(form.get("scope"), client.scopes, kind);
  const { clientId, organizationId } = client;
  const issuedAt = clock.now();
  const token = {
    tokenId: `tok_${ulid(issuedAt, random)}`,
    chainId: newChainId(reference.shard, issuedAt, random),
    clientId,
    organizationId,
    keyPairId,
    subject: clientId,
    audience,
    scopes,
    issuedAt,
    expiresAt: issuedAt + oidcProviderOf(snapshot).apiClients.accessTokenLifetime,
  };
  return { token, client };
}

/** The one durable step. It has the last word on deletion, revocation, grants and replay, whatever the cached read said (D8). */
function issue(
  { claims, minted, request }: AcceptedRequest,
  { token, client }: GrantedToken,
  dependencies: Dependencies,
): Promise<TokenIssueResult> {
  const { clientId, organizationId, tokenId, chainId, keyPairId, audience } = token;
  return dependencies.stores.tokens.issue({
    reference: minted.reference,
    token,
    grantRevision: client.grantRevision,
    ...assertionIdOf(clientId, claims),
    event: auditEvent(dependencies, {
      type: "token.issued",
      organizationId,
      outcome: "success",
      actor: clientId,
      agent: clientId,
      requestId: request.requestId,
      details: { clientId, tokenId, chainId, keyPairId, audience },
    }),
  });
}

function assertionIdOf(clientId: string, { jti, expiresAt }: AcceptedClaims): Pick<TokenIssue, "assertionId"> {
  return jti === undefined ? {} : { assertionId: { hash: assertionIdHash(clientId, jti), expiresAt } };
}

const UNSTEADY = "what the client is granted keeps changing; repeat the request";
