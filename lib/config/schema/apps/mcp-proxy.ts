import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { choice, flag, integer, list, text, timerInterval, url } from "../types.ts";
import { headers } from "./headers.ts";
import { inbound } from "./inbound.ts";
import { appName, organization } from "./name.ts";
import { outbound } from "./outbound.ts";
import { toolName } from "./tool-name.ts";
import { toolNamespace } from "./tool-namespace.ts";

const MOST_CONNECTIONS = 100_000;
const MOST_REQUESTS = 10_000;

const connection = section({
  dialTimeout: described(timerInterval().optional(), "How long connecting may take; by default 10s.", "5s"),
  keepAlive: described(
    section({
      interval: described(
        timerInterval().optional(),
        "How long a connection is silent before TCP probes it; by default 60s.",
        "30s",
      ),
    }).optional(),
    "Probes of silent connections.",
  ),
  pool: described(
    section({
      maxIdleConns: described(
        integer(0, MOST_CONNECTIONS).optional(),
        "Idle connections that are kept, by default any number; busy ones are not counted.",
        100,
      ),
      maxIdleConnsPerHost: described(integer(0, MOST_CONNECTIONS).optional(), "The same for each host.", 10),
    }).optional(),
    "Connections that are kept for further requests.",
  ),
});

const endpoint = section({
  url: described(url(), "Where the MCP server is.", "https://ledger.example/mcp"),
  tls: described(text().optional(), "The entry of `tls` that connections use.", "internal"),
  connection: described(connection.optional(), "How connections are made and kept. Without effect on Workers."),
});

const upstream = section({
  transport: described(choice(["stream", "sse"]).default("stream"), "How the MCP server is spoken to."),
  stream: described(endpoint.optional(), "Streamable HTTP; required with `transport: stream`."),
  sse: described(endpoint.optional(), "The legacy transport; required with `transport: sse`."),
  timeout: described(
    timerInterval().prefault("30s"),
    "How long the server may be silent in a call; at most 50s on Lambda.",
  ),
  concurrency: described(
    integer(1, MOST_REQUESTS).default(100),
    "Requests to the server that run at the same time; others wait.",
  ),
  headers,
  shareable: described(
    flag().default(false),
    "Lets calls without a session, of one principal, share a session of the MCP server; otherwise each has one of its own.",
  ),
});

const curated = (meaning: string, example: readonly string[]) =>
  described(list(toolName()).optional(), meaning, example);

/** `apps[] type: mcpProxy`: an MCP server. What it offers is not known before it is asked, so that no name is checked. */
export const mcpProxyApp = section({
  type: described(z.literal("mcpProxy", { error: "mcpProxy" }), "The tools, resources and prompts of an MCP server."),
  name: appName(),
  organization,
  toolNamespace,
  upstream: described(upstream, "The MCP server."),
  tools: described(
    section({
      include: curated("The tools that are offered, by name or pattern; by default all.", ["listPayments", "/get.*/"]),
      exclude: curated("The tools that are not, also where `include` names them.", ["/delete.*/"]),
    }).optional(),
    "Which tools of the server are offered.",
  ),
  authorization: described(section({ inbound, outbound }).prefault({}), "Who may call, and with what."),
});
