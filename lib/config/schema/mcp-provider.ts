import { secretBytes } from "./oidc-provider.ts";
import { described, section } from "./section.ts";
import { choice, duration, flag, integer, list, path, positiveDuration, secret, text, url } from "./types.ts";

const introspection = section({
  clientID: described(text().optional(), "Client ID for introspection. Required with `introspection` and `auto`."),
  clientSecret: described(
    secret(text()).optional(),
    "Client secret for introspection. Required with `introspection` and `auto`.",
  ),
  timeout: described(
    duration().optional(),
    "Timeout of a request. Required with `introspection` and `auto`; must be positive.",
    "5s",
  ),
  maxRetries: described(integer(0, 10).default(2), "Number of retries after a failed request."),
  tokenPrefix: described(
    text().optional(),
    "Prefix of this server's opaque tokens. At most one server may have none.",
    "cst_us_",
  ),
});

const tokenValidation = section({
  expectedAudiences: described(
    list(text()),
    "Accepted token audiences, at least one. The MCP URL or a prefix of it must be among them, the same for every server.",
    ["https://gateway.example/mcp"],
  ),
  method: described(
    choice(["jwt", "introspection", "auto"]).default("jwt"),
    "How tokens are validated. `auto` tries JWT first, then introspection.",
  ),
  jwt: described(
    section({
      clockSkew: described(duration().prefault("0s"), "Allowed clock difference."),
    }).prefault({}),
    "Validation of JWTs.",
  ),
  introspection: described(introspection.optional(), "Validation by introspection (RFC 7662)."),
});

const server = section({
  wellKnownEndpoint: described(
    url(),
    "URL of the server's discovery document. Its `issuer` must be the issuer that this URL is derived from (RFC 8414 section 3.3).",
    "https://auth.example/.well-known/openid-configuration",
  ),
  refreshInterval: described(
    positiveDuration().prefault("24h"),
    "How long the discovery document and the keys are cached.",
  ),
  tokenValidation: described(tokenValidation, "Which tokens of this server are accepted."),
});

/** `mcpProvider.authorization.oauth`. What depends on several keys is in `rules/mcp-provider.ts`. */
const oauth = section({
  enabled: described(
    flag().default(false),
    "Requires an access token from agents. If it is false, callers have no identity.",
  ),
  metadataPath: described(
    path().optional(),
    "Path of the protected resource metadata (RFC 9728). Required when enabled.",
    "/.well-known/oauth-protected-resource",
  ),
  servers: described(
    list(server).default([]),
    "Authorization servers whose tokens are accepted. At least one when enabled.",
  ),
});

const HOST = "a host with or without a port, for example gateway.example:8443";
const HEADER = "a header name";

const keepAlive = section({
  enabled: described(flag().default(false), "Sends comments that keep idle streams open."),
  interval: described(duration().prefault("30s"), "Interval between comments. Must be positive when enabled."),
});

const sse = section({
  enabled: described(flag().default(false), "Turns the legacy HTTP+SSE transport (MCP 2024-11-05) on."),
  baseURL: described(url().optional(), "Base of the transport's URLs. By default the public URL."),
  basePath: described(path().optional(), "Prefix of `path` and `messagePath`.", "/legacy"),
  path: described(path().optional(), "Path of the event stream. Required when enabled.", "/sse"),
  messagePath: described(path().optional(), "Path to which clients post messages. Required when enabled.", "/messages"),
  keepAlive: described(keepAlive.optional(), "Keep-alive comments in idle streams."),
});

const session = section({
  enabled: described(flag().default(false), "Keeps sessions for clients that use an MCP revision with sessions."),
  headerName: described(
    text(HEADER)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: HEADER })
      .default("Mcp-Session-Id"),
    "Header that carries the session ID.",
  ),
  required: described(
    flag().default(true),
    "Refuses requests without a session ID. `false`: such a request is served by itself, without a log level, subscriptions, and questions of MCP servers.",
  ),
  allowClientTermination: described(flag().default(true), "Lets clients end their own sessions."),
  timeout: described(
    duration().prefault("1h"),
    "Idle timeout of a session. Must be positive when sessions are enabled.",
  ),
});

const stream = section({
  enabled: described(flag().default(false), "Turns the Streamable HTTP transport on."),
  path: described(path().optional(), "Path of the MCP endpoint. Required when enabled.", "/mcp"),
  endpointPath: described(path().optional(), "Alias of `path`."),
  session: described(session.optional(), "Sessions of agents."),
});

const transports = section({
  sse: described(sse.optional(), "The legacy transport."),
  stream: described(stream.prefault({}), "Streamable HTTP."),
});

const catalog = section({
  search: described(
    choice(["auto", "on", "off"]).default("auto"),
    "Whether agents get three search tools instead of the full list. `auto`: callers who may see more than `threshold` tools, or more than 400,000 characters of tools.",
  ),
  threshold: described(
    integer(1, 100_000).default(150),
    "With `search: auto`, the largest number of tools that is listed in full.",
  ),
});

/** `mcpProvider`: the gateway toward agents. What depends on several keys is in `rules/mcp-provider.ts`. */
export const mcpProvider = described(
  section({
    enabled: described(flag(), "Whether this instance is a gateway."),
    serverName: described(text().default("Countersign AI Identity Gateway"), "Server name that agents see."),
    transports: described(transports.prefault({}), "How agents connect."),
    authorization: described(
      section({ oauth: described(oauth.prefault({}), "Access tokens of agents.") }).prefault({}),
      "Who may connect.",
    ),
    allowedOrigins: described(
      list(url()).optional(),
      "Accepted `Origin` values; others get 403. By default the origin of the public URL.",
      ["https://agent.example"],
    ),
    allowedHosts: described(
      list(text(HOST).regex(/^[^\s/?#@]+$/, { error: HOST })).optional(),
      "Accepted `Host` values; others get 403. By default the host of the public URL.",
    ),
    catalog: described(catalog.prefault({}), "How agents see large tool catalogs."),
    stateSecret: described(
      secretBytes().optional(),
      "Key that seals the state that agents carry for upstream MCP servers, and sign-ins for web apps, also where the gateway is off. Must be the same in every instance of a region. By default `oidcProvider.apiClients.idSecret`, or a key in the embedded server's store. On Workers and Lambda, apps of type `mcpProxy`, and apps of type `proxy` that sign people in, need one of the two settings.",
      "<countersign.state-secret>",
    ),
  }).optional(),
  "The MCP gateway.",
);
