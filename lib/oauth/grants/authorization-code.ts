import type { Dependencies } from "../../dependencies.ts";
import type { FoundCode } from "../../stores/grants.ts";
import type { TokenReference } from "../../stores/tokens.ts";
import { tokenReference } from "../../tokens/opaque.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import type { OAuthClient } from "../clients/client.ts";
import { requiredParameter } from "../form.ts";
import { proves, verifierOf } from "../pkce.ts";
import type { ClientRequest } from "../request.ts";
import { decideAccess } from "./access-decision.ts";
import { issuedEvent, reuseEvent } from "./chain-events.ts";
import { type ChainTokens, chainResponse, mintChainTokens } from "./chain-tokens.ts";
import type { Grant } from "./grant.ts";
import { invalidGrant, requireGrantType } from "./refusals.ts";

/** RFC 6749 §4.1.3 with PKCE (RFC 7636) and resource indicators (RFC 8707): the tokens that a person's sign-in brings. */
export const authorizationCode: Grant = {
  grantType: "authorization_code",
  clients: "oauth_clients",
  requiredParameters: ["code", "code_verifier"],
  handle: async (request, dependencies) => {
    const verifier = verifierOf(request.form);
    const client = await authenticateOAuthClient(request, dependencies);
    requireGrantType("authorization_code", client);
    const { reference, found } = await findCode(request, client, dependencies);
    checkRedirect(request, found);
    if (!proves(verifier, found.code.codeChallenge)) throw invalidGrant("code", "code_verifier does not fit");
    const { grant, code } = found;
    const access = decideAccess({ grant, granted: grant.scopes, request, client }, dependencies);
    const tokens = await mintChainTokens({ access, grant, client, refreshScopes: grant.scopes, code }, dependencies);
    await redeem(reference, tokens, request, dependencies);
    return chainResponse(tokens);
  },
};

interface PresentedCode {
  readonly reference: TokenReference;
  readonly found: FoundCode;
}

/** A code that is another client's is left as it is: whoever stole it must not be able to use it up either. */
async function findCode(
  { form }: ClientRequest,
  { clientId }: OAuthClient,
  { stores, clock }: Dependencies,
): Promise<PresentedCode> {
  const reference = tokenReference(requiredParameter(form, "code"), "code");
  if (reference === undefined) throw invalidGrant("code", "it has not the form of a code");
  const found = await stores.grants.code(reference, clock.now());
  if (found === undefined) throw invalidGrant("code", "it is unknown, expired or ended");
  if (found.grant.clientId !== clientId) throw invalidGrant("code", "it is another client's");
  return { reference, found };
}

/** RFC 6749 §4.1.3: what the authorization request named is named again. OAuth 2.1 clients may name it in any case. */
function checkRedirect({ form }: ClientRequest, { code: { redirectURL, namedRedirect } }: FoundCode): void {
  const named = form.get("redirect_uri");
  if (named === undefined ? namedRedirect : named !== redirectURL) {
    throw invalidGrant("code", "redirect_uri is not that of the authorization request");
  }
}

/** The one durable step. A code that was used before ends its chain: one of its holders stole it (RFC 6749 §4.1.2). */
async function redeem(
  reference: TokenReference,
  tokens: ChainTokens,
  { requestId }: ClientRequest,
  dependencies: Dependencies,
): Promise<void> {
  const { token, stored, refreshToken } = tokens;
  const result = await dependencies.stores.grants.redeem({
    reference,
    ...(stored !== undefined && { accessToken: stored }),
    ...(refreshToken !== undefined && { refreshToken }),
    event: issuedEvent("authorization_code", token, requestId, dependencies),
    reuseEvent: reuseEvent("authorization code used again", token, requestId, dependencies),
    now: dependencies.clock.now(),
  });
  if (result !== "redeemed") throw invalidGrant("code", `refused by the store: ${result}`);
}
