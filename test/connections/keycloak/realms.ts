import type { OAuthConnectorConfiguration } from "../../../lib/config/configuration.ts";
import { HUB } from "../../connecting/started.ts";
import type { RotatingProvider, StaticEndpoints } from "../../gateway/connections/two-instances.ts";
import { ISSUER } from "../../support/in-process.ts";

/** Realms with _Revoke Refresh Token_, by their _Refresh Token Max Reuse_: how often a spent refresh token is taken again. */
export const REALMS = { once: 0, twice: 1 } as const;
export type Realm = keyof typeof REALMS;

export const PEOPLE = ["alice", "ann", "ben", "cleo"];

/** What this instance is in each realm. */
export const CLIENT = {
  id: "countersign",
  secret: "the secret of the instance at Keycloak",
  redirectURLs: [`${ISSUER}/connect/callback/hub`],
};

export function passwordOf(person: string): string {
  return `the password of ${person}`;
}

/** Keycloak's refresh tokens of other scopes end with the session of the person's browser. */
export const SCOPES = ["openid", "offline_access"];

/** A realm as a provider of accounts, with the endpoints that its metadata names. */
export async function realmProvider(origin: string, realm: Realm): Promise<RotatingProvider> {
  const response = await fetch(`${origin}/realms/${realm}/.well-known/openid-configuration`);
  const metadata = (await response.json()) as Readonly<Record<string, string>>;
  const named = (name: string): string => {
    const { [name]: value } = metadata;
    if (value === undefined) throw new Error(`Keycloak's metadata has no ${name}: ${JSON.stringify(metadata)}`);
    return value;
  };
  const endpoints: StaticEndpoints = {
    kind: "static",
    issuer: named("issuer"),
    authorizationURL: named("authorization_endpoint"),
    tokenURL: named("token_endpoint"),
    revocationURL: named("revocation_endpoint"),
  };
  const connector = { ...HUB, endpoints, clientID: CLIENT.id, clientSecret: CLIENT.secret };
  return {
    connector: connector satisfies OAuthConnectorConfiguration,
    scopes: SCOPES,
    signIn: (browser, page, person) =>
      browser.press(page, "Sign In", { username: person, password: passwordOf(person) }),
    stop: async () => undefined,
  };
}

interface TokenAnswer {
  readonly refresh_token?: string;
  readonly error?: string;
}

/** The refresh token of a new session. */
export async function grantOf(realm: RotatingProvider, username: string): Promise<string> {
  const password = passwordOf(username);
  const answer = await tokens(realm, { grant_type: "password", username, password, scope: SCOPES.join(" ") });
  if (answer.refresh_token === undefined) throw new Error(`Keycloak gave no tokens: ${JSON.stringify(answer)}`);
  return answer.refresh_token;
}

/** What Keycloak answers to a refresh token. */
export function refreshed(realm: RotatingProvider, refreshToken: string): Promise<TokenAnswer> {
  return tokens(realm, { grant_type: "refresh_token", refresh_token: refreshToken });
}

async function tokens({ connector }: RotatingProvider, form: Readonly<Record<string, string>>): Promise<TokenAnswer> {
  const authorization = `Basic ${btoa([CLIENT.id, CLIENT.secret].map(encodeURIComponent).join(":"))}`;
  const { tokenURL } = connector.endpoints;
  const response = await fetch(tokenURL, {
    method: "POST",
    headers: { authorization },
    body: new URLSearchParams(form),
  });
  return (await response.json()) as TokenAnswer;
}
