import { sha256base64url } from "#sha256";
import type { ClientIds } from "../../api-clients/client-id.ts";
import { isJsonObject, type JsonObject } from "../../kernel/json.ts";
import type { StoredToken, TokenRecord, TokenReference } from "../../stores/tokens.ts";
import { oidcProviderOf } from "../oidc-provider.ts";
import type { AuthorizationServerPorts } from "../ports.ts";
import { mintToken, tokenPrefix, tokenReference } from "./opaque.ts";
import { chainShard, SHARDS } from "./sharding.ts";

/** An access token that is not recorded yet. */
export interface MintedAccessToken {
  /** Goes to the client and nowhere else. */
  readonly text: string;
  /** The record for the store; present if the token is opaque, or a JWT that does not name who began its chain. */
  readonly stored?: StoredToken;
}

type Needed = Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration" | "keyRing" | "clientIds">;

/**
 * Makes an access token in the shard of its chain: opaque (D9), or a JWT (RFC 9068). A JWT has all fields of the record, unless
 * its lineage would name a client that nothing else of it names, as after an impersonation: then it is stored as well.
 */
export async function mintAccessToken(
  token: TokenRecord,
  type: "opaque" | "jwt",
  {
    configuration,
    keyRing,
    random,
    clientIds,
  }: Pick<AuthorizationServerPorts, "configuration" | "keyRing" | "random" | "clientIds">,
): Promise<MintedAccessToken> {
  const { issuer, region } = oidcProviderOf(configuration().configuration);
  const shard = chainShard(token.chainId);
  if (shard === undefined) throw new Error("the chain's id tells no shard");
  if (type === "opaque") {
    const { text, reference } = mintToken(region, shard, random);
    return { text, stored: { reference, token } };
  }
  const claims = claimsOfToken(token, issuer);
  if (namesItsBeginner(token)) return { text: await keyRing.sign(claims, "at+jwt") };
  const text = await keyRing.sign({ ...claims, shard: masked(shard, token.tokenId, clientIds) }, "at+jwt");
  return { text, stored: { reference: referenceOfJwt(text, shard), token } };
}

/**
 * The record of an active access token of this issuer, opaque or JWT, for any audience. Undefined for everything else, without
 * a reason: not a token, another region's, unknown, forged, expired, or its lineage was ended.
 */
export async function activeToken(text: string, dependencies: Needed): Promise<TokenRecord | undefined> {
  const token = await tokenToExchange(text, dependencies);
  return token === undefined || !isJwt(text) || (await dependencies.stores.tokens.isLive(token)) ? token : undefined;
}

/**
 * The same for a token that is exchanged at once. The lineage of a JWT is not looked up, because `tokens.exchange` checks it.
 */
export async function tokenToExchange(text: string, dependencies: Needed): Promise<TokenRecord | undefined> {
  return isJwt(text) ? unexpiredJwt(text, dependencies) : introspectToken(text, dependencies);
}

/**
 * The record of an active opaque access token. Undefined for everything else, without a reason: not a token, another region's,
 * unknown, expired or revoked. Only a text with the form and checksum of a token of this region is looked up.
 */
export async function introspectToken(
  text: string,
  dependencies: Pick<AuthorizationServerPorts, "stores" | "clock" | "configuration">,
): Promise<TokenRecord | undefined> {
  const { oidcProvider } = dependencies.configuration().configuration;
  if (oidcProvider === undefined || !text.startsWith(tokenPrefix(oidcProvider.region))) return undefined;
  const reference = tokenReference(text);
  if (reference === undefined) return undefined;
  return dependencies.stores.tokens.introspect(reference, dependencies.clock.now());
}

/**
 * The claims of an access token as a JWT (RFC 9068 §2.2). `tokenOfClaims` makes the same record from them, in whole seconds.
 * `chain` is our own claim, with the lineage of the token. Where it would tell of a client that the token does not name it is
 * left out; such a token has `shard`, which tells this region alone where the record is.
 */
export function claimsOfToken(token: TokenRecord, issuer: string): JsonObject {
  const { chainId, consentId, apiClientId, apiClientKeyPairId, agentId, memberId, ancestors, organizationId } = token;
  const chain = {
    id: chainId,
    ...(consentId !== undefined && { consent: consentId }),
    ...(apiClientId !== undefined && { apiClient: apiClientId }),
    ...(apiClientKeyPairId !== undefined && { keyPair: apiClientKeyPairId }),
    ...(agentId !== undefined && { agent: agentId }),
    ...(memberId !== undefined && { member: memberId }),
    ...(ancestors !== undefined && { ancestors }),
    ...(organizationId !== undefined && { organization: organizationId }),
  };
  return {
    ...token.claims,
    iss: issuer,
    sub: token.subject,
    aud: token.audience,
    client_id: token.clientId,
    iat: Math.floor(token.issuedAt / 1_000),
    exp: Math.floor(token.expiresAt / 1_000),
    jti: token.tokenId,
    ...(token.scopes.length > 0 && { scope: token.scopes.join(" ") }),
    ...(namesItsBeginner(token) && { chain }),
  };
}

/** Whether what a token says of itself names the client that began its chain. After an impersonation nothing does. */
function namesItsBeginner({ apiClientId, agentId, subject, clientId, claims }: TokenRecord): boolean {
  const named = new Set<unknown>([undefined, subject, clientId]);
  for (let level: unknown = claims?.act; isJsonObject(level); level = level.act) {
    named.add(level.sub);
    named.add(level.client_id);
  }
  return named.has(apiClientId) && named.has(agentId);
}

/** The record of these claims; undefined unless each claim has the form that `claimsOfToken` writes. */
export function tokenOfClaims(claims: JsonObject, issuer: string): TokenRecord | undefined {
  const { iss, sub, aud, client_id, iat, exp, jti, scope, chain, ...others } = claims;
  const lineage = isJsonObject(chain) ? lineageOf(chain) : undefined;
  if (iss !== issuer || lineage === undefined) return undefined;
  if (!isText(sub) || !isText(aud) || !isText(client_id) || !isText(jti)) return undefined;
  if (!isTime(iat) || !isTime(exp) || !(scope === undefined || isText(scope))) return undefined;
  return {
    ...lineage,
    tokenId: jti,
    clientId: client_id,
    subject: sub,
    audience: aud,
    scopes: scope?.split(" ") ?? [],
    issuedAt: iat * 1_000,
    expiresAt: exp * 1_000,
    ...(Object.keys(others).length > 0 && { claims: others }),
  };
}

/** No opaque token has a dot. */
function isJwt(text: string): boolean {
  return text.includes(".");
}

async function unexpiredJwt(
  text: string,
  { stores, configuration, keyRing, clock, clientIds }: Needed,
): Promise<TokenRecord | undefined> {
  const { oidcProvider } = configuration().configuration;
  if (oidcProvider === undefined || text.length > MAX_LENGTH) return undefined;
  const claims = await keyRing.verify(text, "at+jwt");
  if (claims !== undefined && isStored(claims, oidcProvider.issuer)) {
    const shard = masked(claims.shard, claims.jti, clientIds);
    return stores.tokens.introspect(referenceOfJwt(text, shard), clock.now());
  }
  const token = claims && tokenOfClaims(claims, oidcProvider.issuer);
  return token === undefined || clock.now() >= token.expiresAt ? undefined : token;
}

type StoredClaims = JsonObject & { readonly shard: number; readonly jti: string };

function isStored(claims: JsonObject, issuer: string): claims is StoredClaims {
  const { iss, chain, shard, jti } = claims;
  const isShard = Number.isInteger(shard) && Number(shard) >= 0 && Number(shard) < SHARDS;
  return iss === issuer && chain === undefined && isShard && isText(jti);
}

/**
 * The shard of a person and a client is a hash of both, by which everybody could try clients. Masked it differs from token to
 * token. Masking it again gives it back.
 */
function masked(shard: number, tokenId: string, clientIds: Pick<ClientIds, "byteOf">): number {
  return shard ^ clientIds.byteOf(tokenId);
}

function referenceOfJwt(text: string, shard: number): TokenReference {
  return { shard, hash: sha256base64url(text) };
}

/** Much longer than our tokens. Longer texts are not hashed or parsed. */
const MAX_LENGTH = 32_768;

type JwtLineage = Pick<
  TokenRecord,
  | "chainId"
  | "consentId"
  | "apiClientId"
  | "apiClientKeyPairId"
  | "agentId"
  | "memberId"
  | "ancestors"
  | "organizationId"
>;

function lineageOf(claim: JsonObject): JwtLineage | undefined {
  const { id, consent, apiClient, keyPair, agent, member, ancestors, organization } = claim;
  if (!isText(id) || chainShard(id) === undefined) return undefined;
  if (
    ![consent, apiClient, keyPair, agent, member, organization].every((value) => value === undefined || isText(value))
  )
    return undefined;
  if (!(ancestors === undefined || (Array.isArray(ancestors) && ancestors.every(isText)))) return undefined;
  return {
    chainId: id,
    ...(isText(consent) && { consentId: consent }),
    ...(isText(apiClient) && { apiClientId: apiClient }),
    ...(isText(keyPair) && { apiClientKeyPairId: keyPair }),
    ...(isText(agent) && { agentId: agent }),
    ...(isText(member) && { memberId: member }),
    ...(ancestors !== undefined && { ancestors }),
    ...(isText(organization) && { organizationId: organization }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value);
}
