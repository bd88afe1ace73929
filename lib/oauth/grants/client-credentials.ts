import { auditEvent } from "../../audit/event.ts";
import type { Dependencies } from "../../dependencies.ts";
import { ulid } from "../../ids.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { type MintedToken, mintToken } from "../../tokens/opaque.ts";
import { laneShard } from "../../tokens/sharding.ts";
import type { AcceptedClaims } from "../assertion-claims.ts";
import { acceptClaims, assertionIdHash, type VerifiedAssertion, verifyClientAssertion } from "../client-assertion.ts";
import { OAuthError } from "../errors.ts";
import { oidcProviderOf } from "../provider.ts";
import { refusedByStore } from "../refusals.ts";
import type { ClientRequest } from "../request.ts";
import { selectAudience } from "../resource-indicator.ts";
import { scopesFor } from "../scope.ts";
import type { Grant, TokenResponse } from "./grant.ts";

/** RFC 6749 §4.4 with a client assertion (RFC 7523): an opaque token for an API client (D8 to D10). */
export const clientCredentials: Grant = {
  grantType: "client_credentials",
  requiredParameters: ["client_assertion_type", "client_assertion"],
  handle: async (request, dependencies) => {
    const assertion = await verifyClientAssertion(request, dependencies);
    return recordingRefusals(assertion, request, dependencies, async () => {
      const claims = acceptClaims(assertion, dependencies);
      const token = describeToken(assertion, request, dependencies);
      const minted = await mintFor(assertion, claims, dependencies);
      await issue({ assertion, claims, token, minted, request }, dependencies);
      return tokenResponse(minted, token);
    });
  },
};

/**
 * Only a refusal of an assertion that one of the client's keys signed is recorded, and only so many of them: everything
 * else would let strangers write to the store as fast as they can send requests.
 */
async function recordingRefusals<T>(
  { client, keyPairId }: VerifiedAssertion,
  { requestId, source }: ClientRequest,
  dependencies: Dependencies,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof OAuthError && dependencies.refusalRecords.allow(client.clientId, source)) {
      const event = auditEvent(dependencies, {
        type: "token.refused",
        organizationId: client.organizationId,
        outcome: "refused",
        actor: client.clientId,
        agent: client.clientId,
        reason: error.description ?? error.code,
        requestId,
        details: { clientId: client.clientId, keyPairId },
      });
      await dependencies.stores.auditLog.append(event);
    }
    throw error;
  }
}

/** The token starts a chain and shares its id with it. */
function describeToken(
  { client, keyPairId }: VerifiedAssertion,
  { form }: ClientRequest,
  { configuration, clock, random }: Dependencies,
): TokenRecord {
  const snapshot = configuration().configuration;
  const { audience, kind } = selectAudience(form.get("resource"), client.resources, snapshot);
  const scopes = scopesFor(form.get("scope"), client.scopes, kind);
  const { clientId, organizationId } = client;
  const issuedAt = clock.now();
  const id = ulid(issuedAt, random);
  return {
    tokenId: `tok_${id}`,
    chainId: `chain_${id}`,
    clientId,
    organizationId,
    keyPairId,
    subject: clientId,
    audience,
    scopes,
    issuedAt,
    expiresAt: issuedAt + oidcProviderOf(snapshot).apiClients.accessTokenLifetime,
  };
}

/** Equal assertions always meet in one lane, so that a `jti` is consumed where it would have been consumed before. */
async function mintFor(
  { client, jws }: VerifiedAssertion,
  { jti }: AcceptedClaims,
  { configuration, random }: Dependencies,
): Promise<MintedToken> {
  const { region } = oidcProviderOf(configuration().configuration);
  const shard = await laneShard(client.clientId, jti ?? jws.signatureSegment);
  return mintToken(region, shard, random);
}

interface Issue {
  readonly assertion: VerifiedAssertion;
  readonly claims: AcceptedClaims;
  readonly token: TokenRecord;
  readonly minted: MintedToken;
  readonly request: ClientRequest;
}

/** The one durable step. It has the last word on deletion, revocation and replay, whatever the cached read said (D8). */
async function issue({ assertion, claims, token, minted, request }: Issue, dependencies: Dependencies): Promise<void> {
  const { jti, expiresAt } = claims;
  const { keyPairId } = assertion;
  const { clientId, organizationId, tokenId, chainId, audience } = token;
  const event = auditEvent(dependencies, {
    type: "token.issued",
    organizationId,
    outcome: "success",
    actor: clientId,
    agent: clientId,
    requestId: request.requestId,
    details: { clientId, tokenId, chainId, keyPairId, audience },
  });
  const result = await dependencies.stores.tokens.issue({
    reference: minted.reference,
    token,
    ...(jti !== undefined && { assertionId: { hash: await assertionIdHash(clientId, jti), expiresAt } }),
    event,
  });
  if (result.outcome === "refused") throw refusedByStore(result);
}

function tokenResponse({ text }: MintedToken, { issuedAt, expiresAt, scopes }: TokenRecord): TokenResponse {
  return {
    access_token: text,
    token_type: "Bearer",
    expires_in: Math.floor((expiresAt - issuedAt) / 1000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}
