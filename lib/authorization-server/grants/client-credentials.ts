import { managementAudience } from "../../api-clients/audiences.ts";
import { othersGrants } from "../../api-clients/grantable.ts";
import { useToRecord } from "../../api-clients/key-pairs.ts";
import { auditEvent, named } from "../../audit/event.ts";
import type { Configuration } from "../../config/configuration.ts";
import { offersAppCredentials } from "../../config/oauth-features.ts";
import { ulid } from "../../kernel/ids.ts";
import { OAuthError } from "../../protocol/oauth/errors.ts";
import type { VerificationRecord } from "../../stores/api-clients.ts";
import type { ApiClientToken, TokenIssue, TokenIssueResult, TokenRecord } from "../../stores/tokens.ts";
import type { AcceptedClaims } from "../client-assertion.ts";
import {
  acceptClaims,
  assertionIdHash,
  namedClient,
  presentedAssertion,
  type VerifiedAssertion,
  verifyClientAssertion,
} from "../client-assertion.ts";
import { authenticationMethod } from "../client-authentication.ts";
import type { ClientRequest } from "../client-request.ts";
import { appClient } from "../clients/find-client.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { recordingRefusals, recordRevokedSigner } from "../refusal-records.ts";
import { invalidClient, refusedByStore, requireParameters } from "../refusals.ts";
import { scopesFor } from "../scope.ts";
import { type MintedToken, mintToken } from "../tokens/opaque.ts";
import { laneShard, newChainId } from "../tokens/sharding.ts";
import { appCredentialsToken } from "./app-credentials.ts";
import type { Grant, TokenResponse } from "./grant.ts";

/** RFC 6749 §4.4: a token with which an API client or an `oidc` app acts for itself. */
export const clientCredentials: Grant = {
  grantType: "client_credentials",
  requiredParameters: [],
  handle: (request, dependencies) =>
    isFromApp(request, dependencies)
      ? appCredentialsToken(request, dependencies)
      : apiClientToken(request, dependencies),
};

/**
 * API clients have no secret, so a secret comes from an app. Who an assertion is from says its `sub`. What names no app with this
 * grant, and a form without an assertion where no app has it, is answered as a request of an API client, to the letter of the
 * specification (D7, D146). Basic authentication is outside of the form and has the answer of RFC 6749 §5.2 everywhere.
 */
function isFromApp(request: ClientRequest, { configuration, clientIds }: AuthorizationServerPorts): boolean {
  const method = authenticationMethod(request);
  if (method === "client_secret_basic") return true;
  const { configuration: current } = configuration();
  // Instances without such apps read the assertion once.
  if (!offersAppCredentials(current)) return false;
  if (method === "client_secret_post") return true;
  const clientId = request.form.get("client_id");
  if (method === undefined) return clientId !== undefined && !clientIds.isOurs(clientId);
  const app = appClient(namedClient(presentedAssertion(request), request), current);
  return app?.authentication.method === "private_key_jwt" && app.grantTypes.includes("client_credentials");
}

/** With a client assertion (RFC 7523): an opaque token for an API client (D8 to D10). */
async function apiClientToken(request: ClientRequest, dependencies: AuthorizationServerPorts): Promise<TokenResponse> {
  requireParameters(["client_assertion_type", "client_assertion"], request);
  const { apiClients } = oidcProviderOf(dependencies.configuration().configuration);
  if (!apiClients.enabled) throw invalidClient("invalid client", "API clients are off");
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
}

/** Equal assertions always go to the same lane, where a replayed `jti` is found. */
function mintFor(
  { client, jws }: VerifiedAssertion,
  { jti }: AcceptedClaims,
  { configuration, random }: AuthorizationServerPorts,
): MintedToken {
  const { region } = oidcProviderOf(configuration().configuration);
  const shard = laneShard(client.clientId, jti ?? jws.signatureSegment);
  return mintToken(region, shard, random);
}

/** Records the use of the key. Only the first tokens of an hour cause a write, and no answer waits for it. */
function noteUse(
  { token, client }: GrantedToken,
  { waitUntil }: ClientRequest,
  { stores }: AuthorizationServerPorts,
): void {
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

/** A request for a token whose assertion passed every check of its own. */
interface AcceptedRequest {
  readonly assertion: VerifiedAssertion;
  readonly claims: AcceptedClaims;
  readonly minted: MintedToken;
  readonly request: ClientRequest;
}

interface GrantedToken {
  readonly token: ApiClientToken;
  /** The record that the token was decided on. */
  readonly client: VerificationRecord;
}

/** Each further decision means that the owner has changed the grants again. */
const MAX_DECISIONS = 5;
const UNSTEADY = "what the client is granted keeps changing; repeat the request";

/**
 * Decides on audience and scopes and issues the token. The store decides at the end: if the owner has changed the client's
 * grants since its record was read, the decision is repeated with the current grants.
 *
 * @throws {OAuthError} `invalid_client`, `invalid_scope`, `invalid_target`
 */
async function issueAsGranted(
  accepted: AcceptedRequest,
  dependencies: AuthorizationServerPorts,
): Promise<GrantedToken> {
  let decided = await decide(accepted, dependencies);
  for (let decisions = 1; ; decisions++) {
    const result = await issue(accepted, decided, dependencies);
    if (result.outcome === "issued") return decided;
    if (result.outcome === "refused") throw refusedByStore(result);
    if (decisions === MAX_DECISIONS) throw new OAuthError("invalid_scope", { description: UNSTEADY });
    decided = await decideOn(await readAnew(accepted, dependencies), accepted, dependencies);
  }
}

/**
 * A cached record may lack a grant that the owner has just made. After a refusal the decision is repeated once on an
 * authoritative read, if sender and client have budget (checklist 7).
 */
async function decide(accepted: AcceptedRequest, dependencies: AuthorizationServerPorts): Promise<GrantedToken> {
  const { client, authoritative } = accepted.assertion;
  const { source } = accepted.request;
  try {
    return await decideOn(client, accepted, dependencies);
  } catch (error) {
    if (authoritative || !dependencies.rereads.allow(client.clientId, source)) throw error;
    const decided = await decideOn(await readAnew(accepted, dependencies), accepted, dependencies);
    dependencies.rereads.refund(client.clientId, source);
    return decided;
  }
}

/** The current record of the client. The key that signed the assertion must still be active (D8). */
async function readAnew(
  { assertion: { client, keyPairId } }: AcceptedRequest,
  { stores }: AuthorizationServerPorts,
): Promise<VerificationRecord> {
  const { record } = await stores.apiClients.getForVerification(client.clientId, { authoritative: true });
  if (record === undefined) throw invalidClient("invalid client", "deleted meanwhile");
  if (record.keyPairs.some((keyPair) => keyPair.keyPairId === keyPairId)) return record;
  throw invalidClient("invalid JWT signature", "the key was revoked meanwhile");
}

/** The token starts a chain, in the shard that its own text names. */
async function decideOn(
  client: VerificationRecord,
  { assertion: { keyPairId }, minted: { reference }, request: { form } }: AcceptedRequest,
  dependencies: AuthorizationServerPorts,
): Promise<GrantedToken> {
  const { configuration, clock, random } = dependencies;
  const snapshot = configuration().configuration;
  // What was granted before there was such an app is granted no longer.
  const others = await othersGrants(dependencies, client.organizationId);
  const resources = client.resources.filter((resource) => !others.audiences.has(resource));
  const { audience, kind } = selectAudience(form.get("resource"), resources, snapshot);
  const granted = client.scopes.filter((scope) => !others.scopes.has(scope));
  const scopes = scopesFor(form.get("scope"), granted, kind);
  const { clientId, organizationId, name } = client;
  const issuedAt = clock.now();
  const token = {
    tokenId: `tok_${ulid(issuedAt, random)}`,
    chainId: newChainId(reference.shard, issuedAt, random),
    clientId,
    ...(name !== undefined && { clientName: name }),
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

/** The audience of a token. */
interface TokenAudience {
  readonly audience: string;
  readonly kind: "management" | "resource";
}

/**
 * The audience that the `resource` parameter selects (RFC 8707 §2): the management API unless the client's record allows
 * the one asked for. Compared as strings, exactly.
 *
 * @throws {OAuthError} `invalid_target`
 */
function selectAudience(
  resource: string | undefined,
  allowed: readonly string[],
  configuration: Pick<Configuration, "publicURL">,
): TokenAudience {
  const management = managementAudience(configuration);
  if (resource === undefined || resource === management) return { audience: management, kind: "management" };
  if (allowed.includes(resource)) return { audience: resource, kind: "resource" };
  throw new OAuthError("invalid_target", { detail: "resource is not one that the client may ask for" });
}

/** The one durable step. It decides on deletion, revocation, grants and replay, whatever the cached read said (D8). */
function issue(
  { claims, minted, request }: AcceptedRequest,
  { token, client }: GrantedToken,
  dependencies: AuthorizationServerPorts,
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
      ...named([clientId, client.name]),
      details: { clientId, tokenId, chainId, keyPairId, audience },
    }),
  });
}

function assertionIdOf(clientId: string, { jti, expiresAt }: AcceptedClaims): Pick<TokenIssue, "assertionId"> {
  return jti === undefined ? {} : { assertionId: { hash: assertionIdHash(clientId, jti), expiresAt } };
}
