import type { Configuration } from "../config/configuration.ts";
import type { JsonObject } from "../json.ts";
import type { ConnectorSignIn } from "../stores/directory.ts";
import type { OAuthClient } from "./clients/client.ts";

/** Claims that a scope asks for (OpenID Connect Core 1.0 §5.4). */
const CLAIMS_OF_SCOPE: Readonly<Record<string, readonly string[]>> = {
  profile: [
    ...["name", "family_name", "given_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
    ...["website", "gender", "birthdate", "zoneinfo", "locale", "updated_at"],
  ],
  email: ["email", "email_verified"],
};

/** What no mapping may say: claims of tokens themselves, of sign-ins and of who acts for whom. */
const OURS: ReadonlySet<string> = new Set([
  ...["iss", "sub", "aud", "exp", "nbf", "iat", "jti", "client_id", "scope", "chain", "act", "may_act", "cnf"],
  ...["azp", "nonce", "auth_time", "acr", "amr", "sid", "at_hash", "c_hash", "s_hash", "active", "token_type"],
]);

/**
 * What a client's tokens, ID tokens and userinfo say of a person: when and how the sign-in was, the claims of the granted
 * scopes as the connector told them, and the client's mapped claims (`claim: connector.attribute`), which win.
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

/** Claims that are of use to some client when a person signs in at this connector; no others are kept. */
export function usefulClaims(connector: string, { apps }: Pick<Configuration, "apps">): readonly string[] {
  const mapped = apps
    .flatMap((app) => (app.type === "oidc" ? Object.values(app.claimsMapping) : []))
    .flatMap((source) => attributeOf(source, connector) ?? []);
  return [...new Set([...Object.values(CLAIMS_OF_SCOPE).flat(), ...mapped])];
}

function mappedValue(source: string, { connector, claims, subject }: ConnectorSignIn): unknown {
  const attribute = attributeOf(source, connector);
  if (attribute === undefined) return undefined;
  return attribute === "sub" ? subject : own(claims, attribute);
}

/** The attribute that a source names, if it is one of this connector's. */
function attributeOf(source: string, connector: string): string | undefined {
  return source.startsWith(`${connector}.`) ? source.slice(connector.length + 1) : undefined;
}

/** The standard claims that a scope asks for; none of every other scope. */
export function claimsOf(scope: string): readonly string[] {
  return Object.hasOwn(CLAIMS_OF_SCOPE, scope) ? (CLAIMS_OF_SCOPE[scope] as readonly string[]) : [];
}

function own(claims: JsonObject, name: string): unknown {
  return Object.hasOwn(claims, name) ? claims[name] : undefined;
}
