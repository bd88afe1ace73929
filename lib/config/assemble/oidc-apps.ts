import type { OidcAppConfiguration, OidcAppGrantType } from "../app-configuration.ts";
import { OPENID_SCOPES } from "../openid-scopes.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { isServedGrantType } from "../served-grant-types.ts";
import { present } from "./present.ts";

type AppDocument = Extract<ConfigurationDocument["apps"][number], { type: "oidc" }>;

/**
 * A client of this instance's provider.
 * @param signIn names of the connectors that people can sign in at
 */
export function assembleOidcApp(app: AppDocument, signIn: readonly string[]): OidcAppConfiguration {
  const { name, clientID, organization, consent, claimsMapping, redirectURLs, resources } = app;
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
    claimsMapping,
    tokenExchange: { impersonation, ...present({ maxLifetime, subjectAudiences }), subjectConnectors },
    consent,
    ...present({ resources }),
  };
}

/** Whoever can be sent back is an agent of a person; others say what they are for. */
function grantTypesOf({ grantTypes, redirectURLs }: AppDocument): readonly OidcAppGrantType[] {
  if (grantTypes === undefined) return redirectURLs.length > 0 ? ["authorization_code", "refresh_token"] : [];
  return [...new Set(grantTypes.filter(isServedGrantType))];
}

/** A list of keys, or a key set (RFC 7517 §5). */
export function keysOf(jwks: NonNullable<AppDocument["credentials"]>["jwks"]): OidcAppConfiguration["jwks"] {
  return jwks === undefined || Array.isArray(jwks) ? (jwks ?? []) : jwks.keys;
}
