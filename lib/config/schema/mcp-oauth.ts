import { described } from "./described.ts";
import { section } from "./section.ts";
import { choice, duration, flag, integer, list, path, positiveDuration, secret, text, url } from "./types.ts";

const introspection = section({
  clientID: described(text().optional(), "The client that introspects; required with `introspection` and `auto`."),
  clientSecret: described(secret(text()).optional(), "Its secret; required with `introspection` and `auto`."),
  timeout: described(
    duration().optional(),
    "How long an answer may take; required with `introspection` and `auto`, and positive.",
    "5s",
  ),
  maxRetries: described(integer(0, 10).default(2), "How often a failed request is repeated."),
  tokenPrefix: described(
    text().optional(),
    "What opaque tokens of this server begin with; at most one server has none.",
    "cst_us_",
  ),
});

const tokenValidation = section({
  expectedAudiences: described(
    list(text()),
    "Whom tokens may be meant for, at least one; the MCP URL or a prefix of it must be among them, the same for every server.",
    ["https://gateway.example/mcp"],
  ),
  method: described(
    choice(["jwt", "introspection", "auto"]).default("jwt"),
    "How tokens are checked; `auto` tries JWT first, then introspection.",
  ),
  jwt: described(
    section({
      clockSkew: described(duration().prefault("0s"), "How far clocks may differ."),
    }).prefault({}),
    "Tokens that are JWTs.",
  ),
  introspection: described(introspection.optional(), "Tokens that the server is asked about (RFC 7662)."),
});

const server = section({
  wellKnownEndpoint: described(
    url(),
    "Its discovery document, whose `issuer` must be the one that this URL is made of (RFC 8414 section 3.3).",
    "https://auth.example/.well-known/openid-configuration",
  ),
  refreshInterval: described(positiveDuration().prefault("24h"), "How long that document and its keys are kept."),
  tokenValidation: described(tokenValidation, "Which of its tokens are accepted."),
});

/** `mcpProvider.authorization.oauth`. What depends on several keys is in `rules/oauth.ts`. */
export const oauth = section({
  enabled: described(flag().default(false), "Asks agents for an access token; off, callers have no identity."),
  metadataPath: described(
    path().optional(),
    "Where the protected resource metadata is (RFC 9728); required when enabled.",
    "/.well-known/oauth-protected-resource",
  ),
  servers: described(
    list(server).default([]),
    "Authorization servers whose tokens are accepted; at least one when enabled.",
  ),
});
