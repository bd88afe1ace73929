import { auditEvent, named } from "../../audit/event.ts";
import { utf8 } from "../../kernel/encoding.ts";
import type { Random } from "../../kernel/random.ts";
import { type SealTerms, seal, unseal } from "../../kernel/seal.ts";
import type { OAuthError } from "../../protocol/oauth/errors.ts";
import type { FoundRefreshToken, RotationResult } from "../../stores/grants.ts";
import { stopOf } from "../../stores/stop-subjects.ts";
import type { TokenReference } from "../../stores/tokens.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import type { ClientRequest } from "../client-request.ts";
import type { OAuthClient } from "../clients/client.ts";
import { organizationOf } from "../clients/find-client.ts";
import { requiredParameter } from "../form.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { afterRefusal } from "../refusal-records.ts";
import { invalidGrant, requireGrantType } from "../refusals.ts";
import { tokenReference } from "../tokens/opaque.ts";
import {
  type ChainTokens,
  chainResponse,
  decideAccess,
  issuedEvent,
  mintChainTokens,
  reuseEvent,
} from "./chain-tokens.ts";
import type { Grant, TokenResponse } from "./grant.ts";

/** How long a client that lost the answer may repeat the request and get the same successor, milliseconds. */
const GRACE = 10_000;

/** The refresh token grant (RFC 6749 §6) with rotation (RFC 9700 §4.14.2): each token works once, and its reuse ends the chain. */
export const refreshToken: Grant = {
  grantType: "refresh_token",
  requiredParameters: ["refresh_token"],
  handle: async (request, dependencies) => {
    const client = await authenticateOAuthClient(request, dependencies);
    requireGrantType("refresh_token", client);
    return afterRefusal(
      () => refresh(client, request, dependencies),
      (refusal) => recordStopped(refusal, client, request, dependencies),
    );
  },
};

async function refresh(
  client: OAuthClient,
  request: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<TokenResponse> {
  const presented = await findRefreshToken(request, client, dependencies);
  const { grant, refreshToken: found } = presented.found;
  const access = decideAccess({ grant, granted: found.scopes, request, client }, dependencies);
  const tokens = await mintChainTokens({ access, grant, client, refreshScopes: found.scopes }, dependencies);
  const successor = await rotate(presented, tokens, request, dependencies);
  return chainResponse(tokens, successor);
}

/**
 * Records that an agent that is stopped asks for more tokens. The store does not find what is stopped: so this does not tell whether
 * the token was ever one of its. Anybody can name a public client, so all but the first of a minute are only counted, and the record of
 * one has no actor.
 */
async function recordStopped(
  { code }: OAuthError,
  client: OAuthClient,
  { requestId, waitUntil }: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<void> {
  if (code !== "invalid_grant") return;
  const { instanceStops, clock, refusals } = dependencies;
  const index = await instanceStops.current(waitUntil);
  if (index.size === 0) return;
  const { clientId, name } = client;
  const organizationId = await organizationOf(client, dependencies);
  const of = organizationId === undefined ? {} : { organizationId };
  if (stopOf(index, { ...of, clients: [clientId], beganAt: clock.now() }) === undefined) return;
  await refusals.record(
    auditEvent(dependencies, {
      type: "token.refused",
      outcome: "refused",
      ...of,
      ...(client.authentication.method !== "none" && { actor: clientId }),
      agent: clientId,
      reason: "stopped",
      requestId,
      ...named([clientId, name]),
      details: { clientId, grantType: "refresh_token" },
    }),
  );
}

interface PresentedRefreshToken {
  readonly text: string;
  readonly reference: TokenReference;
  readonly found: FoundRefreshToken;
}

async function findRefreshToken(
  { form }: ClientRequest,
  { clientId }: OAuthClient,
  { stores, clock }: AuthorizationServerPorts,
): Promise<PresentedRefreshToken> {
  const text = requiredParameter(form, "refresh_token");
  const reference = tokenReference(text, "refresh");
  if (reference === undefined) throw invalidGrant("refresh token", "it has not the form of a refresh token");
  const found = await stores.grants.refreshToken(reference, clock.now());
  if (found === undefined) throw invalidGrant("refresh token", "it is unknown, expired or ended");
  if (found.grant.clientId !== clientId) throw invalidGrant("refresh token", "it is another client's");
  return { text, reference, found };
}

/** The one durable step. Resolves to the client's next refresh token. After a repeated request this is the one that it did not get. */
async function rotate(
  { text, reference }: PresentedRefreshToken,
  { token, stored, refreshToken: successor, refreshText }: ChainTokens,
  { requestId }: ClientRequest,
  dependencies: AuthorizationServerPorts,
): Promise<string> {
  if (successor === undefined || refreshText === undefined) throw new Error("no successor was made");
  const result = await dependencies.stores.grants.rotate({
    reference,
    successor,
    ...(stored !== undefined && { accessToken: stored }),
    sealedSuccessor: await sealSuccessor(refreshText, text, dependencies.random),
    grace: GRACE,
    event: issuedEvent("refresh_token", token, requestId, dependencies),
    reuseEvent: reuseEvent("refresh token used again", token, requestId, dependencies),
    now: dependencies.clock.now(),
  });
  return successorOf(result, text, refreshText);
}

async function successorOf(result: RotationResult, presented: string, made: string): Promise<string> {
  if (result.outcome === "rotated") return made;
  if (result.outcome === "repeated") return openSuccessor(result.sealedSuccessor, presented);
  throw invalidGrant("refresh token", `refused by the store: ${result.outcome}`);
}

/**
 * The successor of a refresh token, encrypted for the holder of the old one, with a key from the old token's text. The store
 * knows only the hash of that text.
 */
async function sealSuccessor(successor: string, former: string, random: Random): Promise<string> {
  return seal(utf8(successor), sealTerms(former), random);
}

/** Rejects if it was sealed for another token or is damaged. Then the store cannot be trusted. */
async function openSuccessor(sealed: string, former: string): Promise<string> {
  const opened = await unseal(sealed, sealTerms(former));
  if (opened === undefined) throw new Error("the sealed refresh token cannot be opened");
  return new TextDecoder().decode(opened);
}

function sealTerms(former: string): SealTerms {
  return { secret: utf8(former), purpose: "countersign successor of a refresh token", bound: "" };
}
