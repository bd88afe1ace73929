import type { Dependencies } from "../../dependencies.ts";
import type { FoundRefreshToken, RotationResult } from "../../stores/grants.ts";
import type { TokenReference } from "../../stores/tokens.ts";
import { tokenReference } from "../../tokens/opaque.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import type { OAuthClient } from "../clients/client.ts";
import { requiredParameter } from "../form.ts";
import type { ClientRequest } from "../request.ts";
import { decideAccess } from "./access-decision.ts";
import { issuedEvent, reuseEvent } from "./chain-events.ts";
import { type ChainTokens, chainResponse, mintChainTokens } from "./chain-tokens.ts";
import type { Grant } from "./grant.ts";
import { invalidGrant, requireGrantType } from "./refusals.ts";
import { openSuccessor, sealSuccessor } from "./successor.ts";

/** How long a client that lost the answer may ask again and gets the same successor, milliseconds. */
const GRACE = 10_000;

/** RFC 6749 §6 with rotation (RFC 9700 §4.14.2): each refresh token works once, and its reuse ends the chain. */
export const refreshToken: Grant = {
  grantType: "refresh_token",
  clients: "oauth_clients",
  requiredParameters: ["refresh_token"],
  handle: async (request, dependencies) => {
    const client = await authenticateOAuthClient(request, dependencies);
    requireGrantType("refresh_token", client);
    const presented = await findRefreshToken(request, client, dependencies);
    const { grant, refreshToken } = presented.found;
    const access = decideAccess({ grant, granted: refreshToken.scopes, request, client }, dependencies);
    const tokens = await mintChainTokens({ access, grant, client, refreshScopes: refreshToken.scopes }, dependencies);
    const successor = await rotate(presented, tokens, request, dependencies);
    return chainResponse(tokens, successor);
  },
};

interface PresentedRefreshToken {
  readonly text: string;
  readonly reference: TokenReference;
  readonly found: FoundRefreshToken;
}

async function findRefreshToken(
  { form }: ClientRequest,
  { clientId }: OAuthClient,
  { stores, clock }: Dependencies,
): Promise<PresentedRefreshToken> {
  const text = requiredParameter(form, "refresh_token");
  const reference = tokenReference(text, "refresh");
  if (reference === undefined) throw invalidGrant("refresh token", "it has not the form of a refresh token");
  const found = await stores.grants.refreshToken(reference, clock.now());
  if (found === undefined) throw invalidGrant("refresh token", "it is unknown, expired or ended");
  if (found.grant.clientId !== clientId) throw invalidGrant("refresh token", "it is another client's");
  return { text, reference, found };
}

/** The one durable step. Resolves to the refresh token that the client goes on with: after a repeat, the one it did not get. */
async function rotate(
  { text, reference }: PresentedRefreshToken,
  { token, stored, refreshToken: successor, refreshText }: ChainTokens,
  { requestId }: ClientRequest,
  dependencies: Dependencies,
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
