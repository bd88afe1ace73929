import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";

/** What came to the server but its handshake. */
export interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
  readonly message: { readonly id?: string; readonly method?: string; readonly params?: Record<string, unknown> };
}

/** An upstream with sessions whose call and whose streams answer as a test says. */
export interface PollingServer {
  readonly url: string;
  readonly seen: readonly Seen[];
  /** From now on: to the call, then to one GET after the other; the last of them again and again. */
  answers(call: Answer, ...streams: readonly Answer[]): void;
}

export type Answer = (response: ServerResponse, seen: Seen) => void;

export function withPollingServer(): PollingServer {
  const seen: Seen[] = [];
  let onCall: Answer = (response) => void response.end();
  let onStream: readonly Answer[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const { method = "", headers } = request;
    const message = body === "" ? {} : JSON.parse(body);
    if (message.method === "server/discover") return void response.writeHead(400).end();
    if (message.method === "initialize") return void begin(response, message.id);
    if (method === "DELETE" || message.method === "notifications/initialized")
      return void response.writeHead(202).end();
    // A stream of the session's own, which it does not have.
    if (method === "GET" && headers["last-event-id"] === undefined) return void response.writeHead(405).end();
    const it = { method, headers, message };
    seen.push(it);
    if (message.method === "tools/call") return onCall(response, it);
    if (method === "POST") return void response.writeHead(202).end();
    const [next, ...others] = onStream;
    if (others.length > 0) onStream = others;
    next?.(response, it);
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  beforeEach(() => void seen.splice(0));
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return {
    get url() {
      return url;
    },
    seen,
    answers: (call, ...streams) => {
      onCall = call;
      onStream = streams;
    },
  };
}

function begin(response: ServerResponse, id: unknown): void {
  const result = {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "up", version: "1" },
  };
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": "s-1" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/** The beginning of an event stream. */
export function stream(response: ServerResponse, text: string): ServerResponse {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(text);
  return response;
}

export function event(message: Record<string, unknown>, id?: string): string {
  const data = `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
  return id === undefined ? data : `id: ${id}\n${data}`;
}
