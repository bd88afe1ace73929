import * as z from "zod";
import { CONNECTOR_TYPES, OIDC_ALIASES } from "./other-products.ts";
import { described, section } from "./section.ts";
import { choice, flag, list, privateKeyOrJwk, secret, text, timerInterval, url } from "./types.ts";

const SCOPES = "a list of scopes, or text with a space between them";

const redirect = section({
  urls: described(list(url()).default([]), "URLs of this service to which the provider redirects people.", [
    "https://gateway.example.com/sign-in",
  ]),
});

const offlineAccess = section({
  enabled: described(
    flag().default(false),
    "Requests a refresh token, by which the claims of people who are signed in for web apps are renewed. If the provider refuses it, their session ends.",
  ),
  claimsRefresh: described(
    timerInterval().prefault("15m"),
    "How often claims are renewed, with a request of the person. While the provider does not answer, the former claims serve for as long again; then the session ends.",
  ),
});

const oidc = section({
  name: described(text(), "Name of the connector, which other keys refer to. Must be unique.", "corporate"),
  type: described(
    z.enum(["oidc", ...OIDC_ALIASES], { error: CONNECTOR_TYPES }),
    "An OpenID provider. The names of products are read as `oidc`.",
  ),
  oauthClientID: described(text(), "Client ID of this service at the provider.", "countersign"),
  oauthClientSecret: described(
    secret(text()).optional(),
    "Client secret of this service at the provider.",
    "<corporate.client-secret>",
  ),
  oidcWellKnownURL: described(
    url(),
    "URL of the provider's discovery document.",
    "https://id.example.com/.well-known/openid-configuration",
  ),
  tls: described(
    text("the name of an entry of tls").optional(),
    "The entry of `tls` for connections to the provider.",
    "internal",
  ),
  scopes: described(
    z.union([text(SCOPES), list(text())], { error: SCOPES }).optional(),
    "Scopes to request at sign-in.",
    ["openid", "email"],
  ),
  disablePKCE: described(flag().default(false), "Turns PKCE off, for providers that do not support it."),
  offlineAccess: described(offlineAccess.prefault({}), "Access while the person is offline."),
  oauthLoginRedirect: described(redirect.prefault({}), "Redirects after sign-in."),
  oauthRedirectURL: described(
    url().optional(),
    "The same as one entry of `oauthLoginRedirect.urls`, which has precedence.",
    "https://gateway.example.com/sign-in",
  ),
  oauthLogoutRedirect: described(redirect.prefault({}), "Redirects after sign-out."),
  clientAuthentication: described(
    choice(["client_secret_basic", "client_secret_post", "private_key_jwt"]).default("client_secret_basic"),
    "How this service authenticates at the provider (OpenID Connect Core section 9).",
  ),
  privateKey: described(
    secret(privateKeyOrJwk()).optional(),
    "Private key for `private_key_jwt`: PEM (PKCS #8) or a JWK, for ES256 or RS256.",
    "<corporate.private-key>",
  ),
});

/** `connectors[]`, told apart by `type`. */
export const connectors = described(
  list(
    z.discriminatedUnion("type", [oidc], {
      error: ({ code }) => (code === "invalid_union" ? CONNECTOR_TYPES : "a mapping of keys"),
    }),
  ).default([]),
  "External identity providers.",
);
