import * as z from "zod";
import { about } from "#about";
import { described, section } from "../section.ts";
import { anything, choice, flag, list, positiveDuration, secret, text, url } from "../types.ts";
import { appName, claimsMapping, defaultScopes, organization, scope } from "./names.ts";

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
  secrets: described(
    list(text()).min(1, { error: "at least one secret" }).optional(),
    about("Client secrets. Use several during a rotation.", ["<client.secret>"]),
  ),
  jwks: described(jwks.optional(), about("Public keys of the client for `private_key_jwt`, instead of secrets.")),
});

const accessToken = section({
  type: described(choice(["jwt", "opaque"]).default("jwt"), about("Format of the access tokens.")),
  lifetime: described(positiveDuration().prefault("1h"), about("Lifetime of the access tokens.", "15m")),
});

const customScopes = section({
  scopes: described(
    list(section({ name: described(scope(), about("Name of the scope.", "ledger:List")) })),
    about("Scopes that the client may be granted."),
  ),
});

const tokenExchange = section({
  impersonation: described(
    flag().default(false),
    about("Allows impersonation: tokens that do not name the client as actor."),
  ),
  maxLifetime: described(positiveDuration().optional(), about("Longest lifetime of exchanged tokens.", "5m")),
  subjectAudiences: described(
    list(text()).optional(),
    about("Accepted audiences of subject tokens. Absent: all audiences of this issuer.", ["https://gateway.example/"]),
  ),
  subjectConnectors: described(
    list(text("the name of a connector")).default([]),
    about("Connectors whose tokens are accepted as subject tokens, in addition to tokens of this issuer.", ["corp"]),
  ),
});

/** `apps[] type: oidc`: a client of our provider, which signs people in, exchanges tokens, or introspects and revokes them. */
export const oidcApp = section({
  type: described(z.literal("oidc", { error: "oidc" }), about("An OAuth client of this instance.")),
  name: appName(),
  organization,
  clientID: described(
    text(),
    about("Client ID. Must be unique. Cannot be a URL or start like a generated ID.", "gateway"),
  ),
  public: described(
    flag().default(false),
    about("Public client without credentials, for example a browser or desktop agent."),
  ),
  credentials: described(
    secret(credentials).optional(),
    about("Secrets or keys for client authentication. Required unless `public` is true."),
  ),
  redirectURLs: described(
    list(z.string({ error: REDIRECT }).refine(isRedirect, { error: REDIRECT })).default([]),
    about("Redirect URLs after sign-in. Compared character by character, except for the port of loopback addresses.", [
      "https://agent.example/callback",
    ]),
  ),
  authentication: described(
    section({
      idps: described(list(text()), about("Names of connectors.", ["corp"])),
    }).optional(),
    about("Where people sign in for this client. By default at any connector."),
  ),
  grantTypes: described(
    list(choice(GRANT_TYPES)).optional(),
    about(
      "Grant types of the client. Supported: `authorization_code`, `refresh_token`, `client_credentials` and token exchange. By default the first two if there are `redirectURLs`, otherwise none.",
      ["authorization_code"],
    ),
  ),
  accessToken: described(accessToken.prefault({}), about("Access tokens of this client.")),
  allowedAudiences: described(
    list(text()).default([]),
    about("Audiences that the client may request.", ["https://ledger.example/"]),
  ),
  customScopes: described(customScopes.optional(), about("Custom scopes, in addition to `scopes`.")),
  defaultScopes: defaultScopes(),
  claimsMapping: claimsMapping(),
  authorization: described(
    section({
      allowAll: described(flag().optional(), about("Everybody may sign in, as is the default here.")),
      rules: described(anything().optional(), about("Rules of who may sign in. An app with rules gets no tokens yet.")),
      tokenMinting: described(
        anything().optional(),
        about("Policies on tokens that are issued. An app with policies gets no tokens yet."),
      ),
    }).optional(),
    about("Who may get tokens. Apart from `allowAll: true` it is not supported yet: the app then gets no tokens."),
  ),
  tokenExchange: described(tokenExchange.prefault({}), about("Token exchange by this client (RFC 8693).")),
  consent: described(
    choice(["always", "once", "never"]).default("once"),
    about("How often people are asked for consent."),
  ),
  scopes: described(
    list(scope()).optional(),
    about("Scopes that the client may request. By default `openid`, `profile`, `email` and `offline_access`.", [
      "openid",
    ]),
  ),
  resources: described(
    list(url()).optional(),
    about("Audiences whose tokens the client may introspect. Absent: all tokens of this issuer.", [
      "https://gateway.example/mcp",
    ]),
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
