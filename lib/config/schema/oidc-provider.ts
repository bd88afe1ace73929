import * as z from "zod";
import { fromBase64url } from "../../encoding.ts";
import { section } from "./section.ts";
import { anything, choice, duration, flag, list, positiveDuration, secret, text, url } from "./types.ts";

const REGION = "a short name such as us or uk: lower-case letters and digits";
const ID_SECRET = "at least 32 bytes as base64url without padding";
const PUBLIC_KEY = "a public key as PEM text (SubjectPublicKeyInfo) or as a JWK";
const HOUR = 3_600_000;

const endpoints = section({
  wellKnown: url().optional(),
  jwks: url().optional(),
  token: url().optional(),
  introspect: url().optional(),
  revoke: url().optional(),
  auth: url().optional(),
  userinfo: url().optional(),
});

const jwk = section({
  algorithm: choice(["ES256", "RS256", "RSA256"]),
  // Whoever takes the wrong half of a key pair has a secret here.
  publicKey: secret(z.union([z.string().min(1), z.looseObject({ kty: z.string() })], { error: PUBLIC_KEY })),
  privateKey: secret(anything()).optional(),
});

const registration = section({ dynamic: flag().optional(), clientIDMetadata: flag().optional() });

/** `oidcProvider`: the authorization server of one region. */
export const oidcProvider = section({
  region: text(REGION).regex(/^[a-z][a-z0-9]{0,15}$/, { error: REGION }),
  discovery: section({ issuer: url().optional(), endpoints: endpoints.prefault({}) }).prefault({}),
  apiClients: section({
    enabled: flag().default(true),
    accessToken: section({ lifetime: positiveDuration().default(HOUR) }).prefault({}),
    idSecret: secret(
      text(ID_SECRET).refine((value) => (fromBase64url(value)?.length ?? 0) >= 32, { error: ID_SECRET }),
    ).optional(),
  }).prefault({}),
  assertion: section({
    audience: choice(["any", "issuer", "tokenEndpoint"]).default("any"),
    maxLifetime: positiveDuration().default(HOUR),
    clockSkew: duration().default(30_000),
  }).prefault({}),
  jwks: list(jwk).default([]),
  registration: registration.optional(),
  correlateSession: anything().optional(),
  cache: anything().optional(),
}).optional();
