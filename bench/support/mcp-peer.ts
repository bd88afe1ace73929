import { readFileSync } from "node:fs";
import { serve } from "@hono/node-server";
import { createMcpHandler, Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";

/**
 * The MCP SDK's own server, in memory: the peer that `bench/mcp.ts` measures beside Countersign. `/session` keeps sessions and
 * answers with JSON, `/stateless` serves each request by itself. Arguments: port, file with the tools it lists.
 */
const [port = "", file = ""] = process.argv.slice(2);
const tools: unknown = JSON.parse(readFileSync(file, "utf8"));
const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
const stateless = createMcpHandler(createServer, { responseMode: "json" });

serve({ fetch: answer, port: Number(port), hostname: "localhost" });

function createServer(): Server {
  const server = new Server({ name: "peer", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler("tools/list", () => ({ tools }) as never);
  return server;
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/stateless") return stateless.fetch(request);
  if (pathname !== "/session") return new Response("ready");
  const known = transports.get(request.headers.get("mcp-session-id") ?? "");
  return (known ?? (await newSession())).handleRequest(request);
}

async function newSession(): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: () => crypto.randomUUID(),
    enableJsonResponse: true,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  await createServer().connect(transport);
  return transport;
}
