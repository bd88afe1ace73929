import type { Dependencies } from "../../dependencies.ts";
import { ulid } from "../../ids.ts";
import type { JsonObject } from "../../json.ts";
import type { GrantRecord } from "../../stores/grants.ts";
import type { TokenRecord } from "../../stores/tokens.ts";
import type { OAuthClient } from "../clients/client.ts";
import { OAuthError } from "../errors.ts";
import { oidcProviderOf } from "../provider.ts";
import type { ClientRequest } from "../request.ts";
import { parseScope } from "../scope.ts";

/** What an access token of a person's chain is decided on. */
export interface AccessRequest {
  readonly grant: GrantRecord;
  /** Scopes of the code or refresh token. */
  readonly granted: readonly string[];
  readonly request: ClientRequest;
  readonly client: OAuthClient;
}

/**
 * The next access token of a chain: within what the person granted, and what the client may have by now; it never outlives
 * the chain.
 *
 * @throws {OAuthError} `invalid_scope`, `invalid_target`
 */
export function decideAccess(
  { grant, granted, request: { form }, client }: AccessRequest,
  { configuration, clock, random }: Pick<Dependencies, "configuration" | "clock" | "random">,
): TokenRecord {
  const { issuer } = oidcProviderOf(configuration().configuration);
  const issuedAt = clock.now();
  return {
    tokenId: `tok_${ulid(issuedAt, random)}`,
    chainId: grant.chainId,
    consentId: grant.consentId,
    clientId: client.clientId,
    ...(grant.organizationId !== undefined && { organizationId: grant.organizationId }),
    subject: grant.subject,
    audience: audienceOf(form.get("resource"), grant, client, issuer),
    scopes: scopesOf(form.get("scope"), granted, client),
    issuedAt,
    expiresAt: Math.min(issuedAt + client.accessToken.lifetime, grant.expiresAt),
    claims: accessTokenClaims(grant, client),
  };
}

/** RFC 8707 §2.2: one of the grant's, the first unless another is named. A client that has none of its own has us. */
function audienceOf(
  asked: string | undefined,
  { resources }: GrantRecord,
  { audiences }: OAuthClient,
  issuer: string,
): string {
  const allowed = resources.filter((resource) => audiences.includes(resource) || resource === issuer);
  const audience = asked ?? allowed[0];
  if (audience !== undefined && allowed.includes(audience)) return audience;
  throw new OAuthError("invalid_target", { description: "resource is not one that the person granted" });
}

/**
 * RFC 6749 §6: fewer may be asked for, others not. What its registration lost meanwhile, the client does not get; where that
 * is all, no answer could tell it, as a `scope` names one at least (§3.3, §5.1).
 */
function scopesOf(
  asked: string | undefined,
  granted: readonly string[],
  { scopes: registered }: OAuthClient,
): readonly string[] {
  const wanted = asked === undefined ? granted : [...parseScope(asked)];
  if (!wanted.every((scope) => granted.includes(scope))) {
    throw new OAuthError("invalid_scope", { description: "scope goes beyond what the person granted" });
  }
  const left = wanted.filter((scope) => registered.includes(scope));
  if (left.length > 0 || wanted.length === 0) return left;
  throw new OAuthError("invalid_scope", {
    description: "the client is not registered for any of these scopes any more",
  });
}

/** What is known of the sign-in (RFC 9068 §2.2.1), and the client's mapped claims. */
function accessTokenClaims({ claims }: GrantRecord, { claimsMapping }: OAuthClient): JsonObject {
  const names = ["auth_time", "acr", "amr", ...Object.keys(claimsMapping)].filter((name) =>
    Object.hasOwn(claims, name),
  );
  return Object.fromEntries(names.map((name) => [name, claims[name]]));
}
