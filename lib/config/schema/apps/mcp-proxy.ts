import * as z from "zod";
import { described } from "../described.ts";
import { section } from "../section.ts";
import { choice, flag, integer, list, positiveDuration, text, url } from "../types.ts";
import { headers } from "./headers.ts";
import { inbound } from "./inbound.ts";
import { appName, organization } from "./name.ts";
import { outbound } from "./outbound.ts";
import { toolName } from "./tool-name.ts";
import { toolNamespace } from "./tool-namespace.ts";

const MOST_CONNECTIONS = 100_000;

const connection = section({
  dialTimeout: described(positiveDuration().optional(), "How long connecting may take.", "10s"),
  keepAlive: described(
    section({
      interval: described(positiveDuration().optional(), "How often TCP probes an idle connection.", "30s"),
    }).optional(),
    "Probes of idle connections.",
  ),
  pool: described(
    section({
      maxIdleConns: described(integer(0, MOST_CONNECTIONS).optional(), "Idle connections that are kept.", 100),
      maxIdleConnsPerHost: described(integer(0, MOST_CONNECTIONS).optional(), "The same for each host.", 10),
    }).optional(),
    "Connections that are kept.",
  ),
});

const endpoint = section({
  url: described(url(), "Where the MCP server is.", "https://ledger.example/mcp"),
  tls: described(text().optional(), "The entry of `tls` that connections use.", "internal"),
  connection: described(connection.optional(), "How connections are made and kept."),
});

const upstream = section({
  transport: described(choice(["stream", "sse"]).default("stream"), "How the MCP server is spoken to."),
  stream: described(endpoint.optional(), "Streamable HTTP; required with `transport: stream`."),
  sse: described(endpoint.optional(), "The legacy transport; required with `transport: sse`."),
  timeout: described(positiveDuration().prefault("30s"), "How long a call may take."),
  headers,
  shareable: described(flag().default(false), "Lets callers of one kind share a session of the MCP server."),
});

const curated = (which: string) => described(list(toolName()).optional(), `The tools that are ${which}.`);

/** `apps[] type: mcpProxy`: the tools of an MCP server. Checked, but not served yet (`not-served.ts`). */
export const mcpProxyApp = section({
  type: described(
    z.literal("mcpProxy", { error: "mcpProxy" }),
    "The tools of an MCP server. Not yet in effect: they are not served.",
  ),
  name: appName(),
  organization,
  toolNamespace,
  upstream: described(upstream, "The MCP server."),
  tools: described(
    section({ include: curated("offered"), exclude: curated("kept back") }).optional(),
    "Which tools of the server are offered.",
  ),
  authorization: described(section({ inbound, outbound }).prefault({}), "Who may call, and with what."),
});
