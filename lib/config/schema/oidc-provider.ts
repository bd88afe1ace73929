import * as z from "zod";
import { about } from "#about";
import { fromBase64url } from "../../kernel/encoding.ts";
import type { About } from "./about.ts";
import { claimsMapping, defaultScopes, scope } from "./apps/names.ts";
import { described, section } from "./section.ts";
import {
  anything,
  choice,
  duration,
  flag,
  list,
  positiveDuration,
  privateKeyOrJwk,
  secret,
  text,
  url,
} from "./types.ts";

const REGION = "a short name such as us or uk: lower-case letters and digits";
const SECRET_BYTES = "at least 32 bytes as base64url without padding";
const PUBLIC_KEY = "a public key as PEM text (SubjectPublicKeyInfo or PKCS #1) or as a JWK";

/** A secret of enough bytes to be a key. */
export function secretBytes() {
  const isLong = (value: string) => (fromBase64url(value)?.length ?? 0) >= 32;
  return secret(text(SECRET_BYTES).refine(isLong, { error: SECRET_BYTES }));
}

const LOCALIZED = "text that is not empty, or a mapping of en, and of de if you like, to such texts";
const localizedText = z.union([text(LOCALIZED), section({ en: text(LOCALIZED), de: text(LOCALIZED).optional() })], {
  error: LOCALIZED,
});

const endpoint = (meaning: About | undefined) => described(url().optional(), meaning);

const endpoints = section({
  wellKnown: endpoint(
    about(
      "Discovery document. By default `/.well-known/openid-configuration` below the issuer. That path and `/.well-known/oauth-authorization-server` always answer.",
    ),
  ),
  jwks: endpoint(about("Public keys. By default `/oauth2/jwks`.")),
  token: endpoint(about("Token endpoint, which is also an audience of client assertions. By default `/oauth2/token`.")),
  introspect: endpoint(about("Introspection (RFC 7662). By default `/oauth2/introspect`.")),
  revoke: endpoint(about("Revocation (RFC 7009). By default `/oauth2/revoke`.")),
  auth: endpoint(about("Authorization endpoint. By default `/oauth2/authorize`.")),
  userinfo: endpoint(about("Userinfo (OpenID Connect Core section 5.3). By default `/oauth2/userinfo`.")),
  registration: endpoint(about("Dynamic client registration (RFC 7591). By default `/oauth2/register`.")),
  callback: endpoint(about("Redirect URL for connectors. By default `/oauth2/callback`.")),
  endSession: endpoint(about("Sign-out (RP-Initiated Logout 1.0). By default `/oauth2/logout`.")),
});

const discovery = section({
  issuer: described(
    url().optional(),
    about("Issuer of the tokens, without query and trailing slash. By default the public URL.", "https://auth.example"),
  ),
  endpoints: described(endpoints.prefault({}), about("Absolute URLs on the issuer's origin.")),
});

const apiClients = section({
  enabled: described(flag().default(true), about("Issues access tokens to API clients.")),
  accessToken: described(
    section({
      lifetime: described(positiveDuration().prefault("1h"), about("Lifetime of their access tokens.")),
    }).prefault({}),
    about("Access tokens of API clients."),
  ),
  idSecret: described(
    secretBytes().optional(),
    about(
      "Key for the check digits in client IDs. Must be the same in every instance of a region. Required on Workers and Lambda; the embedded server generates one.",
      "<countersign.id-secret>",
    ),
  ),
});

const assertion = section({
  audience: described(
    choice(["any", "issuer", "tokenEndpoint"]).default("any"),
    about("Accepted `aud` of client assertions."),
  ),
  maxLifetime: described(positiveDuration().prefault("1h"), about("How far `exp` may be in the future.")),
  clockSkew: described(
    duration().prefault("30s"),
    about("Allowed clock difference for `nbf`, `iat` and `maxLifetime`. It never extends `exp`."),
  ),
});

const jwk = section({
  algorithm: described(
    choice(["ES256", "RS256", "RSA256"]),
    about("Algorithm of the key. `RSA256` is an alias of `RS256`."),
  ),
  // Whoever takes the wrong half of a key pair has a secret here.
  publicKey: described(
    secret(
      z.union([z.string().min(1), z.looseObject({ kty: z.string({ error: PUBLIC_KEY }) })], { error: PUBLIC_KEY }),
    ),
    about("Public key to publish in the JWKS document.", "<provider.public-key>"),
  ),
  privateKey: described(
    secret(privateKeyOrJwk()).optional(),
    about("Private key that signs, as PEM (PKCS #8, PKCS #1 or SEC 1) or JWK.", "<provider.private-key>"),
  ),
});

const registration = section({
  dynamic: described(flag().default(false), about("Lets clients register themselves (RFC 7591).")),
  clientIDMetadata: described(
    flag().optional(),
    about(
      "Accepts the URL of a metadata document as client ID (Client ID Metadata Documents). By default true; on Workers and Lambda only if `keySecret` or a signing key is set.",
    ),
  ),
  idps: described(
    list(text("the name of a connector")).optional(),
    about("Connectors at which people sign in for these clients. By default all.", ["corp"]),
  ),
  allowedAudiences: described(
    list(text()).optional(),
    about("Audiences that these clients may request. By default the MCP endpoints of this instance.", [
      "https://gateway.example/mcp",
    ]),
  ),
  scopes: described(
    list(scope()).optional(),
    about(
      "Scopes that these clients may request. By default `openid`, `profile`, `email`, `offline_access` and all inbound scopes of this instance's tools.",
      ["openid", "books:read"],
    ),
  ),
  defaultScopes: defaultScopes(),
  claimsMapping: claimsMapping(),
  accessToken: described(
    section({
      type: described(choice(["jwt", "opaque"]).default("jwt"), about("Format of the access tokens.")),
      lifetime: described(positiveDuration().prefault("1h"), about("Lifetime of the access tokens.", "15m")),
    }).prefault({}),
    about("Access tokens of these clients."),
  ),
});

const grants = section({
  lifetime: described(
    positiveDuration().prefault("720h"),
    about("How long an agent can act for a person after one sign-in, across all refresh tokens."),
  ),
});

/** `oidcProvider`: the authorization server of one region. */
export const oidcProvider = described(
  section({
    region: described(
      text(REGION)
        .regex(/^[a-z][a-z0-9]{0,15}$/, { error: REGION })
        .default("local"),
      about("Name of the region, written to tokens and logs. Required on Workers and Lambda.", "us"),
    ),
    discovery: described(discovery.prefault({}), about("Issuer and endpoints.")),
    apiClients: described(apiClients.prefault({}), about("Clients that are created in the management API.")),
    assertion: described(assertion.prefault({}), about("Client assertions (RFC 7523).")),
    jwks: described(
      list(jwk).default([]),
      about(
        "Keys to publish. The first one with a private key signs. Without one, the service generates and rotates its own keys.",
      ),
    ),
    keySecret: described(
      secretBytes().optional(),
      about(
        "Key that encrypts the signing keys that the service generates. Must be the same in every instance of a region. Required on Workers and Lambda if the service generates keys there; the embedded server generates one.",
        "<countersign.key-secret>",
      ),
    ),
    registration: described(
      registration.prefault({}),
      about("Dynamic clients (by metadata document or registration), and what they may request."),
    ),
    grants: described(grants.prefault({}), about("Grants of people to agents.")),
    scopeDescriptions: described(
      z.record(scope(), localizedText, { error: "a mapping of scopes to what they mean" }).default({}),
      about(
        "What scopes mean, in words that people read before they allow an agent to have them. One text for all languages, or one for each language of the [pages](agents.md#languages-of-the-pages): `en` has to be there, and stands in for those that are not.",
        {
          "books:read": "Search and read books",
          "books:write": { en: "Add books", de: "Bücher hinzufügen" },
        },
      ),
    ),
    correlateSession: described(anything().optional(), about("Shares sessions between apps. No effect yet.")),
    cache: described(anything().optional(), about("No effect. State lives in the runtime's store.")),
  }).optional(),
  about("The authorization server of one region."),
);
