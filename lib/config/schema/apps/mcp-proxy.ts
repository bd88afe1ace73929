import * as z from "zod";
import { about } from "#about";
import type { About } from "../about.ts";
import { described, section } from "../section.ts";
import { choice, flag, integer, list, text, timerInterval, url } from "../types.ts";
import { inbound, outbound } from "./authorization.ts";
import { appName, headers, organization, shared, toolName, toolNamespace } from "./names.ts";
import { serverPins } from "./pins.ts";
import { toolRules } from "./tool-rules.ts";

const MOST_CONNECTIONS = 100_000;
const MOST_REQUESTS = 10_000;

const connection = section({
  dialTimeout: described(timerInterval().optional(), about("Timeout for connecting. By default 10s.", "5s")),
  keepAlive: described(
    section({
      interval: described(
        timerInterval().optional(),
        about("Idle time before TCP probes a connection. By default 60s.", "30s"),
      ),
    }).optional(),
    about("Probes of idle connections."),
  ),
  pool: described(
    section({
      maxIdleConns: described(
        integer(0, MOST_CONNECTIONS).optional(),
        about("Largest number of idle connections. By default unlimited. Busy connections do not count.", 100),
      ),
      maxIdleConnsPerHost: described(
        integer(0, MOST_CONNECTIONS).optional(),
        about("Largest number of idle connections per host.", 10),
      ),
    }).optional(),
    about("Pool of idle connections."),
  ),
});

const endpoint = section({
  url: described(url(), about("URL of the MCP server.", "https://ledger.example/mcp")),
  tls: described(text().optional(), about("The entry of `tls` for connections.", "internal")),
  connection: described(connection.optional(), about("Connection settings. No effect on Workers.")),
});

/** Methods of MCP, in small letters and with their letters alone. */
const OF_MCP: ReadonlySet<string> = new Set(
  `initialize ping logging/setLevel server/discover subscriptions/listen completion/complete tools/list tools/call
  resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe prompts/list prompts/get
  tasks/list tasks/get tasks/result tasks/cancel tasks/update notifications/initialized notifications/cancelled
  notifications/progress notifications/roots/list_changed notifications/tasks/status`
    .split(/\s+/)
    .map(letters),
);

function letters(method: string): string {
  return method.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
}

const METHOD =
  "a method that is not one of MCP's, nor looks like one: 1 to 200 printable ASCII characters without spaces";

/** What looks like a method of MCP a server may take for it: nobody would have decided on what it does then. */
const method = text(METHOD).refine((value) => /^[\x21-\x7e]{1,200}$/.test(value) && !OF_MCP.has(letters(value)), {
  error: METHOD,
});

const upstream = section({
  transport: described(choice(["stream", "sse"]).default("stream"), about("Transport of the MCP server.")),
  stream: described(endpoint.optional(), about("Streamable HTTP. Required with `transport: stream`.")),
  sse: described(endpoint.optional(), about("The legacy HTTP+SSE transport. Required with `transport: sse`.")),
  timeout: described(
    timerInterval().prefault("30s"),
    about("How long the server may be silent during a call. At most 50s on Lambda."),
  ),
  concurrency: described(
    integer(1, MOST_REQUESTS).default(100),
    about("Largest number of concurrent requests to the server. More requests wait."),
  ),
  headers,
  shareable: described(
    flag().default(false),
    about(
      "Lets calls without a session share one session at the MCP server, per caller. Otherwise each call has its own.",
    ),
  ),
  methods: described(
    list(method).optional(),
    about(
      "The server's own methods that agents may use: requests, and notifications that are not MCP's. Exact names. Policies decide on each, and each is recorded. By default none.",
      ["ledger/export", "notifications/ledger/closed"],
    ),
  ),
  resources: described(
    list(text()).optional(),
    about(
      "URIs and URI templates (RFC 6570) of resources that agents may read though the server neither lists them nor links to them. By default none.",
      ["file:///statements/{year}.csv"],
    ),
  ),
});

const curated = (meaning: About | undefined) => described(list(toolName()).optional(), meaning);

/** `apps[] type: mcpProxy`: an MCP server. What it offers is not known before it is asked, so that no name is checked. */
export const mcpProxyApp = section({
  type: described(
    z.literal("mcpProxy", { error: "mcpProxy" }),
    about("The tools, resources and prompts of an MCP server."),
  ),
  name: appName(),
  organization,
  shared,
  toolNamespace,
  upstream: described(upstream, about("The MCP server.")),
  pins: serverPins,
  tools: described(
    section({
      include: curated(about("Tools to offer, by name or pattern. By default all.", ["listPayments", "/get.*/"])),
      exclude: curated(about("Tools to hide, by name or pattern. Wins over `include`.", ["/delete.*/"])),
      rules: toolRules,
    }).optional(),
    about("Which tools of the server agents see, and with which arguments they may call them."),
  ),
  authorization: described(
    section({ inbound, outbound }).prefault({}),
    about("Who may call, and which credentials calls carry."),
  ),
});
