import { sha256base64url } from "#sha256";
import { equalSecrets } from "../../kernel/equal-secrets.ts";
import type { FoundCode } from "../../stores/grants.ts";
import type { TokenReference } from "../../stores/tokens.ts";
import { authenticateOAuthClient } from "../client-authentication.ts";
import type { ClientRequest } from "../client-request.ts";
import type { OAuthClient } from "../clients/client.ts";
import { type Form, requiredParameter } from "../form.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { invalidGrant, invalidRequest, requireGrantType } from "../refusals.ts";
import { tokenReference } from "../tokens/opaque.ts";
import {
  type ChainTokens,
  chainResponse,
  decideAccess,
  issuedEvent,
  mintChainTokens,
  reuseEvent,
} from "./chain-tokens.ts";
import type { Grant } from "./grant.ts";

/** The authorization code grant (RFC 6749 §4.1.3) with PKCE (RFC 7636) and resource indicators (RFC 8707). */
export const authorizationCode: Grant = {
  grantType: "authorization_code",
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

/**
 * The `code_verifier` (RFC 7636 §4.1).
 *
 * @throws {OAuthError} `invalid_request` when it is missing or malformed
 */
function verifierOf(form: Form): string {
  const verifier = requiredParameter(form, "code_verifier");
  if (VERIFIER.test(verifier)) return verifier;
  throw invalidRequest("code_verifier is not 43 to 128 unreserved characters");
}

/** Whether the challenge was made from this verifier with S256 (RFC 7636 §4.6). */
function proves(verifier: string, challenge: string): boolean {
  return equalSecrets(sha256base64url(verifier), challenge);
}

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;

interface PresentedCode {
  readonly reference: TokenReference;
  readonly found: FoundCode;
}

/** The code of another client stays valid: a thief must not be able to use it up either. */
async function findCode(
  { form }: ClientRequest,
  { clientId }: OAuthClient,
  { stores, clock }: AuthorizationServerPorts,
): Promise<PresentedCode> {
  const reference = tokenReference(requiredParameter(form, "code"), "code");
  if (reference === undefined) throw invalidGrant("code", "it has not the form of a code");
  const found = await stores.grants.code(reference, clock.now());
  if (found === undefined) throw invalidGrant("code", "it is unknown, expired or ended");
  if (found.grant.clientId !== clientId) throw invalidGrant("code", "it is another client's");
  return { reference, found };
}

/** RFC 6749 §4.1.3: a redirect in the authorization request must be repeated. OAuth 2.1 clients may always send it. */
function checkRedirect({ form }: ClientRequest, { code: { redirectURL, namedRedirect } }: FoundCode): void {
  const named = form.get("redirect_uri");
  if (named === undefined ? namedRedirect : named !== redirectURL) {
    throw invalidGrant("code", "redirect_uri is not that of the authorization request");
  }
}

/** The one durable step. A code that is used twice ends its chain, because one of its holders stole it (RFC 6749 §4.1.2). */
async function redeem(
  reference: TokenReference,
  tokens: ChainTokens,
  { requestId }: ClientRequest,
  dependencies: AuthorizationServerPorts,
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
