import type { Configuration } from "../config/configuration.ts";
import { webAppConnectors } from "../config/oauth-features.ts";
import type { KeptClaims } from "../connectors/complete-sign-in.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import type { GrantRecord } from "../stores/grants.ts";
import type { OAuthClient } from "./clients/client.ts";

/** Claims that a scope asks for (OpenID Connect Core 1.0 §5.4). */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
};

/** Claims that no mapping may set: claims of the token itself, of the sign-in and of actors. */
const OURS: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "scope", "chain", "act", "may_act", "cnf"],
  ...["azp", "nonce", "auth_time", "acr", "amr", "sid", "at_hash", "c_hash", "s_hash", "active", "token_type"],
]);

/**
 * The claims of a person in a client's access tokens, ID tokens and userinfo: about the sign-in, those of the granted scopes
 * with the connector's values, and the client's mapped claims (`claim: connector.attribute`), which have precedence.
 */
export function personClaims(
  signIn: ConnectorSignIn,
  scopes: readonly string[],
  { claimsMapping }: Pick<OAuthClient, "claimsMapping">,
): JsonObject {
  const standard = scopes.flatMap((scope) => claimsOf(scope)).map((claim) => [claim, own(signIn.claims, claim)]);
  const mapped = Object.entries(claimsMapping)
    .filter(([claim]) => !OURS.has(claim))
    .map(([claim, source]) => [claim, mappedValue(source, signIn)]);
  return Object.fromEntries([
    ...[...standard, ...mapped].filter(([, value]) => value !== undefined),
    ...(signIn.authenticatedAt === undefined ? [] : [["auth_time", Math.floor(signIn.authenticatedAt / 1000)]]),
    ...(signIn.acr === undefined ? [] : [["acr", signIn.acr]]),
    ...(signIn.amr === undefined ? [] : [["amr", signIn.amr]]),
  ]);
}

/**
 * The claims that somebody can use after a sign-in at this connector; no other claims are stored. Web apps can use all of
 * them: policies in CEL and Rego may read any.
 */
export function usefulClaims(
  connector: string,
  { apps, oidcProvider }: Pick<Configuration, "apps" | "oidcProvider">,
): KeptClaims {
  if (webAppConnectors({ apps }).includes(connector)) return "all";
  const mapped = [oidcProvider?.registration ?? { claimsMapping: {} }, ...apps]
    .flatMap((clients) => ("claimsMapping" in clients ? Object.values(clients.claimsMapping) : []))
    .flatMap((source) => attributeOf(source, connector) ?? []);
  return [...new Set([...Object.values(CLAIMS_OF_SCOPE).flat(), ...mapped])];
}

/**
 * The claims of a grant's person for a token with these scopes. The claims of a granted scope that the token lacks are left
 * out. A claim whose scope was not granted comes from the client's mapping and stays.
 */
export function grantedClaims(
  { claims, scopes: granted }: Pick<GrantRecord, "claims" | "scopes">,
  scopes: readonly string[],
): JsonObject {
  const missing = granted.filter((scope) => !scopes.includes(scope));
  const left = new Set([...SIGN_IN_CLAIMS, ...missing.flatMap(claimsOf)]);
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !left.has(name)));
}

/** The standard claims that a scope asks for; none for other scopes. */
export function claimsOf(scope: string): readonly string[] {
  return Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? (CLAIMS_OF_SCOPE[scope] as readonly string[]) : [];
}

function mappedValue(source: string, { connector, claims, subject }: ConnectorSignIn): unknown {
  const attribute = attributeOf(source, connector);
  if (attribute === undefined) return undefined;
  return attribute === "sub" ? subject : own(claims, attribute);
}

/** The attribute that a source names, if it belongs to this connector. */
function attributeOf(source: string, connector: string): string | undefined {
  return source.startsWith(`${connector}.`) ? source.slice(connector.length + 1) : undefined;
}

function own(claims: JsonObject, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}

/** Claims about the sign-in. ID tokens add them separately, userinfo does not have them. */
const SIGN_IN_CLAIMS: readonly string[] = ["auth_time", "acr", "amr", "sid"];
