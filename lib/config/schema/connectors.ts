import * as z from "zod";
import { about } from "#about";
import { CONNECTOR_TYPES, OIDC_ALIASES } from "./other-products.ts";
import { described, section } from "./section.ts";
import { choice, duration, flag, list, privateKeyOrJwk, secret, text, timerInterval, url } from "./types.ts";

const SCOPES = "a list of scopes, or text with a space between them";

const redirect = section({
  urls: described(
    list(url()).default([]),
    about("URLs of this service to which the provider redirects people.", ["https://gateway.example.com/sign-in"]),
  ),
});

const offlineAccess = section({
  enabled: described(
    flag().default(false),
    about(
      "Requests a refresh token, by which the claims of people who are signed in for web apps are renewed. If the provider refuses it, their session ends.",
    ),
  ),
  claimsRefresh: described(
    timerInterval().prefault("15m"),
    about(
      "How often claims are renewed, with a request of the person. While the provider does not answer, the former claims serve for as long again; then the session ends.",
    ),
  ),
});

const oidc = section({
  name: described(text(), about("Name of the connector, which other keys refer to. Must be unique.", "corporate")),
  type: described(
    z.enum(["oidc", ...OIDC_ALIASES], { error: CONNECTOR_TYPES }),
    about("An OpenID provider. The names of products are read as `oidc`."),
  ),
  oauthClientID: described(text(), about("Client ID of this service at the provider.", "countersign")),
  oauthClientSecret: described(
    secret(text()).optional(),
    about("Client secret of this service at the provider.", "<corporate.client-secret>"),
  ),
  oidcWellKnownURL: described(
    url(),
    about("URL of the provider's discovery document.", "https://id.example.com/.well-known/openid-configuration"),
  ),
  tls: described(
    text("the name of an entry of tls").optional(),
    about("The entry of `tls` for connections to the provider.", "internal"),
  ),
  scopes: described(
    z.union([text(SCOPES), list(text())], { error: SCOPES }).optional(),
    about("Scopes to request at sign-in.", ["openid", "email"]),
  ),
  disablePKCE: described(flag().default(false), about("Turns PKCE off, for providers that do not support it.")),
  offlineAccess: described(offlineAccess.prefault({}), about("Access while the person is offline.")),
  oauthLoginRedirect: described(redirect.prefault({}), about("Redirects after sign-in.")),
  oauthRedirectURL: described(
    url().optional(),
    about(
      "The same as one entry of `oauthLoginRedirect.urls`, which has precedence.",
      "https://gateway.example.com/sign-in",
    ),
  ),
  oauthLogoutRedirect: described(redirect.prefault({}), about("Redirects after sign-out.")),
  clientAuthentication: described(
    choice(["client_secret_basic", "client_secret_post", "private_key_jwt"]).default("client_secret_basic"),
    about("How this service authenticates at the provider (OpenID Connect Core section 9)."),
  ),
  privateKey: described(
    secret(privateKeyOrJwk()).optional(),
    about("Private key for `private_key_jwt`: PEM (PKCS #8) or a JWK, for ES256 or RS256.", "<corporate.private-key>"),
  ),
});

const NAME = "1 to 64 letters, digits and . _ -, as it is part of the redirect URL";

/** Reserved parameters are refused in `rules/oauth-connectors.ts`, which can name the one that is meant. */
const parameters = z.record(z.string(), text(), { error: "a mapping of parameters to text" });

const TIMEOUT = "a positive duration such as 10s, at most 25s";
/** Shorter than the lease of whoever refreshes (`lib/connections/refresh.ts`). */
const LONGEST_TIMEOUT = 25_000;

const refresh = section({
  grace: described(
    duration().prefault("0s"),
    about(
      "How long the provider accepts a refresh token again that was used before. Ask the provider; `0s` where it refuses it.",
      "10s",
    ),
  ),
  timeout: described(
    timerInterval()
      .refine((milliseconds) => milliseconds <= LONGEST_TIMEOUT, { error: TIMEOUT })
      .prefault("10s"),
    about("Timeout of a request to the token endpoint. At most 25s."),
  ),
});

const MEMBER = "the name of a member of the answer, or names with a dot between them";
const member = () => text(MEMBER).regex(/^[^\s.]+(\.[^\s.]+)*$/, { error: MEMBER });

const account = section({
  url: described(
    url(),
    about("URL that answers with JSON about the account that an access token is for.", "https://api.github.com/user"),
  ),
  id: described(member(), about("Member that identifies the account. It must never change.", "id")),
  label: described(member().optional(), about("Member that people recognize the account by.", "login")),
});

const oauth = section({
  name: described(
    text(NAME).regex(/^[A-Za-z0-9._-]{1,64}$/, { error: NAME }),
    about(
      "Name of the connector, which other keys refer to. Must be unique. The redirect URL to register at the provider ends in it: `/connect/callback/NAME`.",
      "github",
    ),
  ),
  type: described(
    z.literal("oauth", { error: CONNECTOR_TYPES }),
    about(
      "An OAuth 2.0 provider at which people connect accounts, for apps with `outbound.type: userToken`. Nobody signs in with it.",
    ),
  ),
  authorizationURL: described(
    url().optional(),
    about("Authorization endpoint. Required without `discover`.", "https://github.com/login/oauth/authorize"),
  ),
  tokenURL: described(
    url().optional(),
    about("Token endpoint. Required without `discover`.", "https://github.com/login/oauth/access_token"),
  ),
  revocationURL: described(
    url().optional(),
    about(
      "Revocation endpoint (RFC 7009). Without it, people are told to take access back at the provider.",
      "https://id.example.com/oauth2/revoke",
    ),
  ),
  issuer: described(
    url().optional(),
    about(
      "Issuer of the provider. Its authorization responses must then carry it as `iss` (RFC 9207). With `discover`, the authorization server to use, if the MCP server names several.",
      "https://id.example.com",
    ),
  ),
  discover: described(
    flag().default(false),
    about(
      "Finds the endpoints from the MCP server (RFC 9728, RFC 8414), and registers this service there if it has no client ID.",
    ),
  ),
  resource: described(
    url().optional(),
    about(
      "With `discover`, URL of the MCP server. By default that of the only `mcpProxy` app that uses the connector.",
      "https://mcp.example.com/mcp",
    ),
  ),
  oauthClientID: described(text().optional(), about("Client ID of this service at the provider.", "countersign")),
  oauthClientSecret: described(
    secret(text()).optional(),
    about("Client secret of this service at the provider.", "<github.client-secret>"),
  ),
  clientMetadata: described(
    flag().default(false),
    about(
      "Uses the URL of a metadata document that this service publishes, `/connect/client-metadata/NAME`, as client ID (Client ID Metadata Documents).",
    ),
  ),
  clientAuthentication: described(
    choice(["client_secret_basic", "client_secret_post", "private_key_jwt", "none"]).optional(),
    about(
      "How this service authenticates at the token endpoint. By default `client_secret_basic` with a secret, and `none` without. If its metadata document is the client ID: `private_key_jwt` with a key of its own if `discover` finds that the provider takes it, otherwise `none`.",
      "client_secret_post",
    ),
  ),
  privateKey: described(
    secret(privateKeyOrJwk()).optional(),
    about(
      "Private key for `private_key_jwt`: PEM (PKCS #8) or a JWK, for ES256 or RS256. Not with `clientMetadata`.",
      "<example.private-key>",
    ),
  ),
  authorizationParameters: described(
    parameters.optional(),
    about("Further parameters of the authorization request that the provider needs.", {
      access_type: "offline",
      prompt: "consent",
    }),
  ),
  disablePKCE: described(flag().default(false), about("Turns PKCE off, for providers that refuse it.")),
  refresh: described(refresh.prefault({}), about("How access tokens are refreshed.")),
  account: described(
    account.optional(),
    about("How the account is found out that a person connects. By default from the token answer, if it tells."),
  ),
  tls: described(
    text("the name of an entry of tls").optional(),
    about("The entry of `tls` for connections to the provider.", "internal"),
  ),
});

/** `connectors[]`, told apart by `type`. */
export const connectors = described(
  list(
    z.discriminatedUnion("type", [oidc, oauth], {
      error: ({ code }) => (code === "invalid_union" ? CONNECTOR_TYPES : "a mapping of keys"),
    }),
  ).default([]),
  about("External providers: those at which people sign in, and those at which they connect accounts."),
);
