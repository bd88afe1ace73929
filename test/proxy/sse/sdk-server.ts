import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";

/** A server of the SDK's that speaks the legacy transport alone: a counter for each connection. */
export interface SdkServer {
  readonly url: string;
  readonly connections: ReadonlyMap<string, McpServer>;
  close(): void;
}

export async function startSdkServer(): Promise<SdkServer> {
  const connections = new Map<string, McpServer>();
  const transports = new Map<string, SSEServerTransport>();
  const http = createServer(async (request, response) => {
    if (request.method === "GET") {
      const [transport, server] = [new SSEServerTransport("/messages", response), counter()];
      const { sessionId } = transport;
      transports.set(sessionId, transport);
      connections.set(sessionId, server);
      response.once("close", () => connections.delete(sessionId));
      return server.connect(transport);
    }
    const id = new URL(request.url ?? "", "http://server").searchParams.get("sessionId") ?? "";
    await transports.get(id)?.handlePostMessage(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/sse`,
    connections,
    close: () => {
      http.close();
      http.closeAllConnections();
    },
  };
}

function counter(): McpServer {
  const server = new McpServer({ name: "counter", version: "1" });
  let count = 0;
  const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });
  server.registerTool("count", {}, () => text(String(++count)));
  server.registerTool("long", {}, () => text("x".repeat(300_000)));
  server.registerTool("slow", {}, async ({ _meta, sendNotification }) => {
    const { progressToken = "" } = _meta ?? {};
    await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    return text("done");
  });
  return server;
}
