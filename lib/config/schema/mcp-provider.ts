import { described } from "./described.ts";
import { oauth } from "./mcp-oauth.ts";
import { secretBytes } from "./oidc-provider.ts";
import { section } from "./section.ts";
import { choice, duration, flag, integer, list, path, text, url } from "./types.ts";

const HOST = "a host with or without a port, for example gateway.example:8443";
const HEADER = "a header name";

const keepAlive = section({
  enabled: described(flag().default(false), "Sends comments that keep idle streams open."),
  interval: described(duration().prefault("30s"), "How often; positive when enabled."),
});

const sse = section({
  enabled: described(flag().default(false), "The legacy HTTP+SSE transport (MCP 2024-11-05)."),
  baseURL: described(url().optional(), "The base of its URLs; by default the public URL."),
  basePath: described(path().optional(), "Stands in front of its paths.", "/legacy"),
  path: described(path().optional(), "The event stream; required when enabled.", "/sse"),
  messagePath: described(path().optional(), "Where messages are posted; required when enabled.", "/messages"),
  keepAlive: described(keepAlive.optional(), "Comments in idle streams."),
});

const session = section({
  enabled: described(flag().default(false), "Keeps sessions of clients that speak a revision with sessions."),
  headerName: described(
    text(HEADER)
      .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/, { error: HEADER })
      .default("Mcp-Session-Id"),
    "The header with the session's id.",
  ),
  allowClientTermination: described(flag().default(true), "Lets clients end their own sessions."),
  timeout: described(duration().prefault("1h"), "How long a session may idle; positive when sessions are enabled."),
});

const stream = section({
  enabled: described(flag().default(false), "The Streamable HTTP transport."),
  path: described(path().optional(), "Its path; required when enabled.", "/mcp"),
  endpointPath: described(path().optional(), "Another name of `path`."),
  session: described(session.optional(), "Sessions of agents."),
});

const transports = section({
  sse: described(sse.optional(), "The legacy transport."),
  stream: described(stream.prefault({}), "Streamable HTTP."),
});

const catalog = section({
  search: described(
    choice(["auto", "on", "off"]).default("auto"),
    "Whether agents get three tools to search all others with: `auto` gives them to whoever may see more than `threshold`, or more than 400,000 characters of fewer.",
  ),
  threshold: described(integer(1, 100_000).default(150), "With `search: auto`, how many tools are listed at most."),
});

/** `mcpProvider`: the gateway toward agents. What depends on several keys is in `rules/mcp-provider.ts`. */
export const mcpProvider = described(
  section({
    enabled: described(flag(), "Whether this instance is a gateway."),
    serverName: described(text().default("Countersign AI Identity Gateway"), "What agents are told it is called."),
    transports: described(transports.prefault({}), "How agents connect."),
    authorization: described(
      section({ oauth: described(oauth.prefault({}), "Access tokens of agents.") }).prefault({}),
      "Who may connect.",
    ),
    allowedOrigins: described(
      list(url()).optional(),
      "Origins of pages that may call; others get 403. By default the public URL's.",
      ["https://agent.example"],
    ),
    allowedHosts: described(
      list(text(HOST).regex(/^[^\s/?#@]+$/, { error: HOST })).optional(),
      "Values of `Host` that are answered; others get 403. By default the public URL's.",
    ),
    catalog: described(catalog.prefault({}), "How large catalogs are offered."),
    stateSecret: described(
      secretBytes().optional(),
      "Seals what agents keep for upstream MCP servers, the same in every instance of a region. By default `oidcProvider.apiClients.idSecret`, or what the embedded server keeps; without these it is required on Workers and Lambda for apps of type `mcpProxy`.",
      "<countersign.state-secret>",
    ),
  }).optional(),
  "The gateway toward agents.",
);
