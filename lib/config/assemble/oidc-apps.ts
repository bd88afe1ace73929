import { ProblemError } from "../../kernel/problem.ts";
import { parsePublicKey } from "../../protocol/oauth/public-key.ts";
import {
  isServedGrantType,
  type OidcAppConfiguration,
  type OidcAppGrantType,
  OPENID_SCOPES,
} from "../app-configuration.ts";
import { reasonsWithoutTokens } from "../not-served.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import type { Report } from "./context.ts";
import { type AppDocument, present } from "./context.ts";

type OidcDocument = Extract<ConfigurationDocument["apps"][number], { type: "oidc" }>;

/**
 * A client of this instance's provider.
 * @param signIn names of the connectors that people can sign in at
 */
export function assembleOidcApp(app: OidcDocument, signIn: readonly string[]): OidcAppConfiguration {
  const { name, clientID, organization, consent, redirectURLs, resources } = app;
  const { impersonation, maxLifetime, subjectAudiences, subjectConnectors } = app.tokenExchange;
  const custom = app.customScopes?.scopes.map((scope) => scope.name) ?? [];
  return {
    type: "oidc",
    ...{ name, ...present({ organization }), clientID },
    isPublic: app.public,
    secrets: app.credentials?.secrets ?? [],
    jwks: keysOf(app.credentials?.jwks),
    redirectURLs,
    idps: (app.authentication?.idps ?? signIn).filter((idp) => signIn.includes(idp)),
    grantTypes: grantTypesOf(app),
    accessToken: app.accessToken,
    allowedAudiences: app.allowedAudiences,
    scopes: [...new Set([...(app.scopes ?? OPENID_SCOPES), ...custom])],
    defaultScopes: app.defaultScopes,
    claimsMapping: mappedClaims(app.claimsMapping),
    tokenExchange: { impersonation, ...present({ maxLifetime, subjectAudiences }), subjectConnectors },
    consent,
    ...present({ resources, isUnserved: isUnserved(app) || undefined }),
  };
}

/** `sub` is a warning and nothing else: a person's id here stays what it is. */
export function mappedClaims({ sub, ...claims }: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return claims;
}

/** Whether it gets no tokens, as this version cannot decide on them as it asks. */
function isUnserved(app: OidcDocument): boolean {
  return reasonsWithoutTokens(app).length > 0;
}

/** Whoever can be sent back is an agent of a person; others say what they are for. */
function grantTypesOf(app: OidcDocument): readonly OidcAppGrantType[] {
  const { grantTypes, redirectURLs } = app;
  if (isUnserved(app)) return [];
  if (grantTypes === undefined) return redirectURLs.length > 0 ? ["authorization_code", "refresh_token"] : [];
  return [...new Set(grantTypes.filter(isServedGrantType))];
}

/** A list of keys, or a key set (RFC 7517 §5). */
function keysOf(jwks: NonNullable<OidcDocument["credentials"]>["jwks"]): OidcAppConfiguration["jwks"] {
  return jwks === undefined || Array.isArray(jwks) ? (jwks ?? []) : jwks.keys;
}

/** Reports the keys of `oidc` apps with which no assertion could ever be verified. */
export async function reportUnusableKeys(apps: readonly AppDocument[], report: Report): Promise<void> {
  for (const [index, app] of apps.entries()) {
    if (app.type !== "oidc") continue;
    const jwks = app.credentials?.jwks;
    const path = ["apps", index, "credentials", "jwks", ...(Array.isArray(jwks) ? [] : ["keys"])];
    for (const [entry, key] of keysOf(jwks).entries()) {
      if (!(await isUsable(key))) report([...path, entry], UNUSABLE);
    }
  }
}

async function isUsable(key: object): Promise<boolean> {
  try {
    await parsePublicKey(key);
    return true;
  } catch (error) {
    if (error instanceof ProblemError) return false;
    throw error;
  }
}

const UNUSABLE =
  "found no public key for ES256; accepted: a JWK with kty EC, crv P-256, x and y, and with alg, use and key_ops, if any, for verifying";
