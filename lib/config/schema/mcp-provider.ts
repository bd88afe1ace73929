import { about } from "#about";
import { secretBytes } from "./oidc-provider.ts";
import { described, section } from "./section.ts";
import { choice, duration, flag, integer, list, path, positiveDuration, secret, text, url } from "./types.ts";

const introspection = section({
  clientID: described(
    text().optional(),
    about("Client ID for introspection. Required with `introspection` and `auto`."),
  ),
  clientSecret: described(
    secret(text()).optional(),
    about("Client secret for introspection. Required with `introspection` and `auto`."),
  ),
  timeout: described(
    duration().optional(),
    about("Timeout of a request. Required with `introspection` and `auto`; must be positive.", "5s"),
  ),
  maxRetries: described(integer(0, 10).default(2), about("Number of retries after a failed request.")),
  tokenPrefix: described(
    text().optional(),
    about("Prefix of this server's opaque tokens. At most one server may have none.", "cst_us_"),
  ),
});

const tokenValidation = section({
  expectedAudiences: described(
    list(text()),
    about(
      "Accepted token audiences, at least one. The MCP URL or a prefix of it must be among them, the same for every server.",
      ["https://gateway.example/mcp"],
    ),
  ),
  method: described(
    choice(["jwt", "introspection", "auto"]).default("jwt"),
    about("How tokens are validated. `auto` tries JWT first, then introspection."),
  ),
  jwt: described(
    section({
      clockSkew: described(duration().prefault("0s"), about("Allowed clock difference.")),
    }).prefault({}),
    about("Validation of JWTs."),
  ),
  introspection: described(introspection.optional(), about("Validation by introspection (RFC 7662).")),
});

const server = section({
  wellKnownEndpoint: described(
    url(),
    about(
      "URL of the server's discovery document. Its `issuer` must be the issuer that this URL is derived from (RFC 8414 section 3.3).",
      "https://auth.example/.well-known/openid-configuration",
    ),
  ),
  refreshInterval: described(
    positiveDuration().prefault("24h"),
    about("How long the discovery document and the keys are cached."),
  ),
  tokenValidation: described(tokenValidation, about("Which tokens of this server are accepted.")),
});

/** `mcpProvider.authorization.oauth`. What depends on several keys is in `rules/mcp-provider.ts`. */
const oauth = section({
  enabled: described(
    flag().default(false),
    about("Requires an access token from agents. If it is false, callers have no identity."),
  ),
  metadataPath: described(
    path().optional(),
    about(
      "Path of the protected resource metadata (RFC 9728). Required when enabled.",
      "/.well-known/oauth-protected-resource",
    ),
  ),
  servers: described(
    list(server).default([]),
    about("Authorization servers whose tokens are accepted. At least one when enabled."),
  ),
});

const HOST = "a host with or without a port, for example gateway.example:8443";
const HEADER = "a header name";

const keepAlive = section({
  enabled: described(flag().default(false), about("Sends comments that keep idle streams open.")),
  interval: described(duration().prefault("30s"), about("Interval between comments. Must be positive when enabled.")),
});

const sse = section({
  enabled: described(flag().default(false), about("Turns the legacy HTTP+SSE transport (MCP 2024-11-05) on.")),
  baseURL: described(url().optional(), about("Base of the transport's URLs. By default the public URL.")),
  basePath: described(path().optional(), about("Prefix of `path` and `messagePath`.", "/legacy")),
  path: described(path().optional(), about("Path of the event stream. Required when enabled.", "/sse")),
  messagePath: described(
    path().optional(),
    about("Path to which clients post messages. Required when enabled.", "/messages"),
  ),
  keepAlive: described(keepAlive.optional(), about("Keep-alive comments in idle streams.")),
});

const session = section({
  enabled: described(
    flag().default(false),
    about("Keeps sessions for clients that use an MCP revision with sessions."),
  ),
  headerName: described(
    text(HEADER)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: HEADER })
      .default("Mcp-Session-Id"),
    about("Header that carries the session ID."),
  ),
  required: described(
    flag().default(true),
    about(
      "Refuses requests without a session ID. `false`: such a request is served by itself, without a log level, subscriptions, and questions of MCP servers.",
    ),
  ),
  allowClientTermination: described(flag().default(true), about("Lets clients end their own sessions.")),
  timeout: described(
    duration().prefault("1h"),
    about("Idle timeout of a session. Must be positive when sessions are enabled."),
  ),
});

const stream = section({
  enabled: described(flag().default(false), about("Turns the Streamable HTTP transport on.")),
  path: described(path().optional(), about("Path of the MCP endpoint. Required when enabled.", "/mcp")),
  endpointPath: described(path().optional(), about("Alias of `path`.")),
  session: described(session.optional(), about("Sessions of agents.")),
});

const transports = section({
  sse: described(sse.optional(), about("The legacy transport.")),
  stream: described(stream.prefault({}), about("Streamable HTTP.")),
});

const catalog = section({
  search: described(
    choice(["auto", "on", "off"]).default("auto"),
    about(
      "Whether agents get three search tools instead of the full list. `auto`: callers who may see more than `threshold` tools, or more than 400,000 characters of tools.",
    ),
  ),
  threshold: described(
    integer(1, 100_000).default(150),
    about("With `search: auto`, the largest number of tools that is listed in full."),
  ),
});

/** `mcpProvider`: the gateway toward agents. What depends on several keys is in `rules/mcp-provider.ts`. */
export const mcpProvider = described(
  section({
    enabled: described(flag(), about("Whether this instance is a gateway.")),
    serverName: described(text().default("Countersign AI Identity Gateway"), about("Server name that agents see.")),
    transports: described(transports.prefault({}), about("How agents connect.")),
    authorization: described(
      section({ oauth: described(oauth.prefault({}), about("Access tokens of agents.")) }).prefault({}),
      about("Who may connect."),
    ),
    allowedOrigins: described(
      list(url()).optional(),
      about("Accepted `Origin` values; others get 403. By default the origin of the public URL.", [
        "https://agent.example",
      ]),
    ),
    allowedHosts: described(
      list(text(HOST).regex(/^[^\s/?#@]+$/, { error: HOST })).optional(),
      about("Accepted `Host` values; others get 403. By default the host of the public URL."),
    ),
    catalog: described(catalog.prefault({}), about("How agents see large tool catalogs.")),
    stateSecret: described(
      secretBytes().optional(),
      about(
        "Key that seals the state that agents carry for upstream MCP servers, and sign-ins for web apps, also where the gateway is off. Must be the same in every instance of a region. By default `oidcProvider.apiClients.idSecret`, or a key in the embedded server's store. On Workers and Lambda, apps of type `mcpProxy`, and apps of type `proxy` that sign people in, need one of the two settings.",
        "<countersign.state-secret>",
      ),
    ),
  }).optional(),
  about("The MCP gateway."),
);
