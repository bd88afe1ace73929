import * as z from "zod";
import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, flag, list, privateKeyOrJwk, secret, text, url } from "./types.ts";

const SCOPES = "a list of scopes, or text with a space between them";

const redirect = section({
  urls: described(list(url()).default([]), "URLs of this service that the provider sends people back to.", [
    "https://gateway.example.com/sign-in",
  ]),
});

const offlineAccess = section({ enabled: described(flag().default(false), "Asks for a refresh token.") });

const oidc = section({
  name: described(text(), "What other keys call the connector; unique.", "corporate"),
  type: described(z.literal("oidc", { error: "oidc" }), "An OpenID provider."),
  oauthClientID: described(text(), "The client that this service is at the provider.", "countersign"),
  oauthClientSecret: described(secret(text()).optional(), "The client's secret.", "<corporate.client-secret>"),
  oidcWellKnownURL: described(
    url(),
    "The provider's discovery document.",
    "https://id.example.com/.well-known/openid-configuration",
  ),
  tls: described(
    text("the name of an entry of tls").optional(),
    "The entry of `tls` that connections to the provider use.",
    "internal",
  ),
  scopes: described(
    z.union([text(SCOPES), list(text())], { error: SCOPES }).optional(),
    "Scopes that sign-in asks for.",
    ["openid", "email"],
  ),
  disablePKCE: described(flag().default(false), "Leaves PKCE out, for providers that do not know it."),
  offlineAccess: described(offlineAccess.prefault({}), "Access while the person is away."),
  oauthLoginRedirect: described(redirect.prefault({}), "Where people come back to after sign-in."),
  oauthLogoutRedirect: described(redirect.prefault({}), "Where people come back to after sign-out."),
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
      error: ({ code }) => (code === "invalid_union" ? "oidc" : "a mapping of keys"),
    }),
  ).default([]),
  "Identity providers of others.",
);
