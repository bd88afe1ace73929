import * as z from "zod";
import { fromBase64url } from "../../encoding.ts";
import { scope } from "./apps/scope.ts";
import { described } from "./described.ts";
import { section } from "./section.ts";
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
const PUBLIC_KEY = "a public key as PEM text (SubjectPublicKeyInfo) or as a JWK";

/** A secret of enough bytes to be a key. */
export function secretBytes() {
  const isLong = (value: string) => (fromBase64url(value)?.length ?? 0) >= 32;
  return secret(text(SECRET_BYTES).refine(isLong, { error: SECRET_BYTES }));
}

const endpoint = (meaning: string) => described(url().optional(), meaning);

const endpoints = section({
  wellKnown: endpoint("The discovery document; by default `/.well-known/openid-configuration` below the issuer."),
  jwks: endpoint("The public keys; by default `/oauth2/jwks`."),
  token: endpoint("The token endpoint, which assertions are meant for; by default `/oauth2/token`."),
  introspect: endpoint("Introspection (RFC 7662); by default `/oauth2/introspect`."),
  revoke: endpoint("Revocation (RFC 7009); by default `/oauth2/revoke`."),
  auth: endpoint("The authorization endpoint; by default `/oauth2/authorize`."),
  userinfo: endpoint("Claims about a person (OpenID Connect Core section 5.3); by default `/oauth2/userinfo`."),
  registration: endpoint("Where clients register themselves (RFC 7591); by default `/oauth2/register`."),
  callback: endpoint("Where connectors send people back to; by default `/oauth2/callback`."),
  endSession: endpoint("Sign-out (RP-Initiated Logout 1.0); by default `/oauth2/logout`."),
});

const discovery = section({
  issuer: described(
    url().optional(),
    "Who issues the tokens, without query and trailing slash; by default the public URL.",
    "https://auth.example",
  ),
  endpoints: described(endpoints.prefault({}), "Absolute URLs on the issuer's origin."),
});

const apiClients = section({
  enabled: described(flag().default(true), "Gives API clients access tokens."),
  accessToken: described(
    section({
      lifetime: described(positiveDuration().prefault("1h"), "How long their tokens live."),
    }).prefault({}),
    "Their tokens.",
  ),
  idSecret: described(
    secretBytes().optional(),
    "Keys the check in client ids, the same in every instance of a region. Required on Workers and Lambda; the embedded server keeps its own.",
    "<countersign.id-secret>",
  ),
});

const assertion = section({
  audience: described(
    choice(["any", "issuer", "tokenEndpoint"]).default("any"),
    "What the `aud` of client assertions may be.",
  ),
  maxLifetime: described(positiveDuration().prefault("1h"), "How far ahead `exp` may lie."),
  clockSkew: described(
    duration().prefault("30s"),
    "How far clocks may differ, for `nbf`, `iat` and the limit above; never extends `exp`.",
  ),
});

const jwk = section({
  algorithm: described(choice(["ES256", "RS256", "RSA256"]), "`RSA256` is another spelling of `RS256`."),
  // Whoever takes the wrong half of a key pair has a secret here.
  publicKey: described(
    secret(
      z.union([z.string().min(1), z.looseObject({ kty: z.string({ error: PUBLIC_KEY }) })], { error: PUBLIC_KEY }),
    ),
    "A key of the JWKS document.",
    "<provider.public-key>",
  ),
  privateKey: described(
    secret(privateKeyOrJwk()).optional(),
    "Its private half, which signs: PEM (PKCS #8) or a JWK.",
    "<provider.private-key>",
  ),
});

const registration = section({
  dynamic: described(flag().default(false), "Lets clients register themselves (RFC 7591)."),
  clientIDMetadata: described(
    flag().optional(),
    "Accepts the URL of a metadata document as client id (Client ID Metadata Documents); by default true, on Workers and Lambda where `keySecret` or a key that signs is written.",
  ),
  idps: described(
    list(text("the name of a connector")).optional(),
    "Connectors that people sign in at for them; by default any.",
    ["corp"],
  ),
  allowedAudiences: described(
    list(text()).optional(),
    "Whom their tokens may be meant for; by default the MCP endpoints of this instance.",
    ["https://gateway.example/mcp"],
  ),
  scopes: described(
    list(scope()).optional(),
    "Scopes that they may ask for; by default `openid`, `profile`, `email`, `offline_access` and all inbound scopes of this instance's tools.",
    ["openid", "books:read"],
  ),
  accessToken: described(
    section({
      type: described(choice(["jwt", "opaque"]).default("jwt"), "The format of their access tokens."),
      lifetime: described(positiveDuration().prefault("1h"), "How long they live.", "15m"),
    }).prefault({}),
    "Their access tokens.",
  ),
});

const grants = section({
  lifetime: described(
    positiveDuration().prefault("720h"),
    "How long an agent can act for a person after a sign-in, with however many refresh tokens.",
  ),
});

/** `oidcProvider`: the authorization server of one region. */
export const oidcProvider = described(
  section({
    region: described(
      text(REGION)
        .regex(/^[a-z][a-z0-9]{0,15}$/, { error: REGION })
        .default("local"),
      "Written into tokens and logs. Required on Workers and Lambda.",
      "us",
    ),
    discovery: described(discovery.prefault({}), "Issuer and endpoints."),
    apiClients: described(apiClients.prefault({}), "Clients that the management API registers."),
    assertion: described(assertion.prefault({}), "Client assertions (RFC 7523)."),
    jwks: described(
      list(jwk).default([]),
      "Keys to publish. The first with a private half signs; without any the service makes and rotates its own.",
    ),
    keySecret: described(
      secretBytes().optional(),
      "Encrypts the signing keys that the service makes, the same in every instance of a region. Required on Workers and Lambda where it makes any; the embedded server keeps its own.",
      "<countersign.key-secret>",
    ),
    registration: described(registration.prefault({}), "Clients that come by themselves, and what they may have."),
    grants: described(grants.prefault({}), "What people grant to agents."),
    correlateSession: described(anything().optional(), "Joins sessions of several apps. Not yet in effect."),
    cache: described(anything().optional(), "Without effect: state lives in the runtime's store."),
  }).optional(),
  "The authorization server of one region.",
);
