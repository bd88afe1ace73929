import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { choice, flag, list, positiveDuration, secret, text, url } from "../types.ts";
import { appName, organization } from "./name.ts";
import { scope } from "./scope.ts";

const REDIRECT = "an absolute URL without fragment that a browser can be sent to";

/** Names of the OAuth parameters registry, and two for the implicit flow in published files. */
const GRANT_TYPES = [
  "authorization_code",
  "refresh_token",
  "client_credentials",
  "urn:ietf:params:oauth:grant-type:token-exchange",
  "password",
  "implicit_id",
  "implicit_token",
] as const;

const JWK = "a public key for ES256 as JWK";
const JWKS = "a list of public keys for ES256 as JWK";

const jwk = z.looseObject({ kty: z.string({ error: JWK }) }, { error: JWK });
const jwks = z.union([list(jwk), z.looseObject({ keys: list(jwk) }, { error: JWKS })], { error: JWKS });

const credentials = section({
  secrets: described(list(text()).min(1, { error: "at least one secret" }).optional(), "Several for rotation.", [
    "<client.secret>",
  ]),
  jwks: described(
    jwks.optional(),
    "Public keys that its assertions are signed with (`private_key_jwt`), instead of secrets.",
  ),
});

const accessToken = section({
  type: described(choice(["jwt", "opaque"]).default("jwt"), "The format of its access tokens."),
  lifetime: described(positiveDuration().prefault("1h"), "How long they live.", "15m"),
});

const customScopes = section({
  scopes: described(
    list(section({ name: described(scope(), "A scope beside those of OpenID Connect.", "ledger:List") })),
    "What the client may be granted.",
  ),
});

const tokenExchange = section({
  impersonation: described(flag().default(false), "Lets it ask for tokens that do not name it."),
  maxLifetime: described(positiveDuration().optional(), "How long such tokens live at most.", "5m"),
  subjectAudiences: described(
    list(text()).optional(),
    "Whom the tokens that it brings may be meant for; absent: anybody of this issuer.",
    ["https://gateway.example/"],
  ),
  subjectConnectors: described(
    list(text("the name of a connector")).default([]),
    "Connectors whose own tokens it may bring, beside those of this issuer.",
    ["corp"],
  ),
});

/** `apps[] type: oidc`: a client of our provider, which signs people in, exchanges tokens, or introspects and revokes them. */
export const oidcApp = section({
  type: described(z.literal("oidc", { error: "oidc" }), "A client of this instance's own provider."),
  name: appName(),
  organization,
  clientID: described(text(), "Unique among the apps; no URL, and nothing that begins like a generated id.", "gateway"),
  public: described(flag().default(false), "A client without credentials, for example a browser or desktop agent."),
  credentials: described(
    secret(credentials).optional(),
    "How it authenticates, with secrets or keys; required unless it is public.",
  ),
  redirectURLs: described(
    list(z.string({ error: REDIRECT }).refine(isRedirect, { error: REDIRECT })).default([]),
    "Where people come back to after signing in. Compared character by character; loopback addresses with any port.",
    ["https://agent.example/callback"],
  ),
  authentication: described(
    section({
      idps: described(list(text()), "Names of connectors.", ["corp"]),
    }).optional(),
    "Where people sign in for it; by default at any connector.",
  ),
  grantTypes: described(
    list(choice(GRANT_TYPES)).optional(),
    "What it may ask for: `authorization_code`, `refresh_token` and token exchange are served. By default the first two with `redirectURLs`, and nothing without.",
    ["authorization_code"],
  ),
  accessToken: described(accessToken.prefault({}), "Its access tokens."),
  allowedAudiences: described(list(text()).default([]), "Whom its tokens may be meant for.", [
    "https://ledger.example/",
  ]),
  customScopes: described(customScopes.optional(), "Scopes of its own, beside `scopes`."),
  claimsMapping: described(
    z.record(z.string(), text(), { error: "a mapping of claims to attributes" }).default({}),
    "Claims of its tokens, each from a claim that a connector tells: `connector.claim`.",
    { email: "corp.email" },
  ),
  tokenExchange: described(tokenExchange.prefault({}), "How it may exchange tokens (RFC 8693)."),
  consent: described(choice(["always", "once", "never"]).default("once"), "How often people are asked for consent."),
  scopes: described(
    list(scope()).optional(),
    "Scopes that it may ask for; by default `openid`, `profile`, `email` and `offline_access`.",
    ["openid"],
  ),
  resources: described(
    list(url()).optional(),
    "Audiences whose tokens it may introspect; absent: all of this issuer.",
    ["https://gateway.example/mcp"],
  ),
});

/** Native agents have schemes of their own (RFC 8252); what runs in a page is none of them (checklist 11). */
function isRedirect(value: string): boolean {
  if (!URL.canParse(value) || /\s/.test(value)) return false;
  const { protocol, hash } = new URL(value);
  return (
    hash === "" && !value.endsWith("#") && !["javascript:", "data:", "vbscript:", "file:", "blob:"].includes(protocol)
  );
}
