import { useToRecord } from "../../api-clients/key-pair-use.ts";
import type { Dependencies } from "../../dependencies.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import { type MintedToken, mintToken } from "../../tokens/opaque.ts";
import { laneShard } from "../../tokens/sharding.ts";
import type { AcceptedClaims } from "../assertion-claims.ts";
import { acceptClaims, type VerifiedAssertion, verifyClientAssertion } from "../client-assertion.ts";
import { oidcProviderOf } from "../provider.ts";
import type { ClientRequest } from "../request.ts";
import type { Grant, TokenResponse } from "./grant.ts";
import { type GrantedToken, issueAsGranted } from "./granted-token.ts";
import { recordingRefusals, recordRevokedSigner } from "./recorded-refusals.ts";

/** RFC 6749 §4.4 with a client assertion (RFC 7523): an opaque token for an API client (D8 to D10). */
export const clientCredentials: Grant = {
  grantType: "client_credentials",
  clients: "api_clients",
  requiredParameters: ["client_assertion_type", "client_assertion"],
  handle: async (request, dependencies) => {
    const assertion = await verifyClientAssertion(request, dependencies, (unverified) =>
      recordRevokedSigner(unverified, request, dependencies),
    );
    return recordingRefusals(assertion, request, dependencies, async () => {
      const claims = acceptClaims(assertion, dependencies);
      const minted = mintFor(assertion, claims, dependencies);
      const granted = await issueAsGranted({ assertion, claims, minted, request }, dependencies);
      noteUse(granted, request, dependencies);
      return tokenResponse(minted, granted.token);
    });
  },
};

/** Equal assertions always meet in one lane, so that a `jti` is consumed where it would have been consumed before. */
function mintFor(
  { client, jws }: VerifiedAssertion,
  { jti }: AcceptedClaims,
  { configuration, random }: Dependencies,
): MintedToken {
  const { region } = oidcProviderOf(configuration().configuration);
  const shard = laneShard(client.clientId, jti ?? jws.signatureSegment);
  return mintToken(region, shard, random);
}

/** Only the first tokens of an hour have something to keep, and no answer waits for it. */
function noteUse({ token, client }: GrantedToken, { waitUntil }: ClientRequest, { stores }: Dependencies): void {
  const use = useToRecord(client, token.keyPairId, token.issuedAt);
  if (use !== undefined) waitUntil(stores.apiClients.recordUse(use));
}

function tokenResponse({ text }: MintedToken, { issuedAt, expiresAt, scopes }: TokenRecord): TokenResponse {
  return {
    access_token: text,
    token_type: "Bearer",
    expires_in: Math.floor((expiresAt - issuedAt) / 1000),
    ...(scopes.length > 0 && { scope: scopes.join(" ") }),
  };
}
