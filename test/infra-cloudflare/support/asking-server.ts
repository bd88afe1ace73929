import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../../lib/kernel/json.ts";

/** An MCP server with sessions (2025-11-25) whose one tool asks so many names, and answers with them and so many characters. */
export interface AskingServer {
  readonly url: string;
  /** Methods of what came, `response` for answers, `DELETE` for sessions that ended. */
  readonly heard: readonly string[];
  /** Capabilities of the last client. */
  readonly declared: JsonObject;
  /** Sessions that were begun and not ended. */
  sessions(): number;
  stop(): Promise<void>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params: JsonObject & { readonly arguments: { readonly questions?: number; readonly length?: number } };
  readonly result?: { readonly content?: { readonly name?: string } };
}

export async function startAskingServer(): Promise<AskingServer> {
  const sessions = new Map<string, (message: Message) => void>();
  const heard: string[] = [];
  let declared: JsonObject = {};

  async function call({ id, params }: Message, session: string, response: ServerResponse): Promise<void> {
    const { questions = 0, length = 0 } = params.arguments;
    const progressToken = (params._meta as JsonObject | undefined)?.progressToken;
    const send = (message: JsonObject) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`);
    response.writeHead(200, { "content-type": "text/event-stream" });
    const names: unknown[] = [];
    for (let round = 1; round <= questions; round++) {
      const answered = new Promise<Message>((resolve) => sessions.set(session, resolve));
      send({ id: `q${round}`, method: "elicitation/create", params: { message: `Name ${round}?`, big: BIG } });
      names.push((await answered).result?.content?.name);
      send({ method: "notifications/progress", params: { progressToken, progress: round } });
    }
    send({ id: id as string, result: { content: [{ type: "text", text: names.join() + "x".repeat(length) }] } });
    response.end();
  }

  const server = createServer(async (request, response) => {
    const message = await read(request);
    const session = String(request.headers["mcp-session-id"] ?? "");
    heard.push(message.method ?? (request.method === "POST" ? "response" : String(request.method)));
    if (message.method === "initialize") {
      const begun = crypto.randomUUID();
      sessions.set(begun, () => undefined);
      declared = message.params.capabilities as JsonObject;
      response.writeHead(200, { "content-type": "application/json", "mcp-session-id": begun });
      const result = { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s" } };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else if (!sessions.has(session)) response.writeHead(message.method === "server/discover" ? 400 : 404).end();
    else if (message.method === "tools/call") await call(message, session, response);
    else if (request.method === "GET") response.writeHead(405).end();
    else if (message.method === "tools/list") {
      const result = { tools: [{ name: "introduce", inputSchema: { type: "object" } }] };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result }));
    } else {
      if (request.method === "DELETE") sessions.delete(session);
      else if (message.method === undefined) sessions.get(session)?.(message);
      response.writeHead(202).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    heard,
    get declared() {
      return declared;
    },
    sessions: () => sessions.size,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** No double holds it. */
const BIG = (JSON as unknown as { rawJSON(text: string): object }).rawJSON("12345678901234567890");

async function read(request: IncomingMessage): Promise<Message> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return JSON.parse(text === "" ? "{}" : text) as Message;
}
