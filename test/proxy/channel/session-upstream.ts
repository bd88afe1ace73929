import { serve } from "@hono/node-server";
import { streamOf, type TestStream } from "./stream.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A JSON-RPC message that came, as it was written, with the session that it came in. */
export interface Came {
  readonly session: string | null;
  readonly text: string;
  readonly message: Json & { readonly method?: string; readonly params?: Json };
  readonly headers: Headers;
}

/** A request of a session's stream. */
export interface OpenedStream {
  readonly session: string | null;
  readonly lastEventId: string | null;
  readonly headers: Headers;
  readonly stream: TestStream;
}

/** An MCP server with sessions (2025-11-25) that says and asks what a test wants. */
export interface SessionUpstream {
  readonly url: string;
  /** But for lists. */
  readonly came: readonly Came[];
  /** Requests for lists. */
  readonly lists: readonly Came[];
  readonly streams: readonly OpenedStream[];
  /** Sessions that were ended by their client. */
  readonly ended: readonly string[];
  /** No session is known any more. */
  forget(): void;
  close(): Promise<void>;
}

export interface SessionUpstreamOptions {
  /** The result of `initialize`, without what every one has. */
  readonly said?: Json;
  /** Awaited before `initialize` is answered. */
  readonly begin?: () => Promise<void>;
  /** Answers `tools/call` on an event stream. */
  readonly call?: (came: Came, stream: TestStream) => Promise<void>;
  /** Answers `resources/read` on one. */
  readonly read?: (came: Came, stream: TestStream) => Promise<void>;
}

export async function startSessionUpstream({
  said,
  begin: beginning,
  call,
  read,
}: SessionUpstreamOptions = {}): Promise<SessionUpstream> {
  const came: Came[] = [];
  const lists: Came[] = [];
  const streams: OpenedStream[] = [];
  const ended: string[] = [];
  const sessions = new Set<string>();
  let begun = 0;

  const begin = (id: unknown): Response => {
    const session = `session-${++begun}`;
    sessions.add(session);
    const serverInfo = { name: "upstream", version: "1" };
    const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo, ...said };
    return Response.json({ jsonrpc: "2.0", id, result }, { headers: { "mcp-session-id": session } });
  };
  const post = async (request: Request, session: string | null): Promise<Response> => {
    const text = await request.text();
    const message = JSON.parse(text) as Came["message"];
    const one: Came = { session, text, message, headers: request.headers };
    const list = listOf(message.method);
    (list === undefined ? came : lists).push(one);
    if (list !== undefined) return Response.json({ jsonrpc: "2.0", id: message.id, result: list });
    if (message.method === "initialize") {
      await beginning?.();
      return begin(message.id);
    }
    if (session === null || !sessions.has(session)) return Response.json({}, { status: 404 });
    if (message.id === undefined || message.method === undefined) return new Response(null, { status: 202 });
    const carryOut = { "tools/call": call, "resources/read": read }[message.method];
    if (carryOut === undefined) return Response.json({ jsonrpc: "2.0", id: message.id, result: {} });
    const stream = streamOf();
    void carryOut(one, stream);
    return stream.response;
  };
  const get = (request: Request, session: string | null): Response => {
    if (session === null || !sessions.has(session)) return new Response(null, { status: 404 });
    const stream = streamOf();
    streams.push({ session, lastEventId: request.headers.get("last-event-id"), headers: request.headers, stream });
    return stream.response;
  };
  const answer = async (request: Request): Promise<Response> => {
    const session = request.headers.get("mcp-session-id");
    if (request.method === "GET") return get(request, session);
    if (request.method === "POST") return post(request, session);
    sessions.delete(session ?? "");
    ended.push(session ?? "");
    return new Response(null, { status: 204 });
  };
  const { url, close } = await listening(answer);
  return {
    url,
    came,
    lists,
    streams,
    ended,
    forget: () => sessions.clear(),
    close: async () => {
      for (const { stream } of streams) stream.end();
      await close();
    },
  };
}

const NAMES = ["a", "any", "ask", "pay", "wait", "x"];

/** What upstreams of these tests list, so that it may be asked for; undefined: it is no list. Nobody counts these requests. */
export function listOf(method: string | undefined): Json | undefined {
  switch (method) {
    case "tools/list":
      return { tools: NAMES.map((name) => ({ name, inputSchema: { type: "object" } })) };
    case "prompts/list":
      return { prompts: NAMES.map((name) => ({ name })) };
    case "resources/list":
      return { resources: [] };
    case "resources/templates/list":
      return { resourceTemplates: [{ name: "a file", uriTemplate: "file:///{name}" }] };
    default:
      return undefined;
  }
}

/** Answers at an address of this machine. */
export async function listening(
  fetch: (request: Request) => Promise<Response>,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const address = Promise.withResolvers<number>();
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => address.resolve(port));
  return {
    url: `http://127.0.0.1:${await address.promise}/mcp`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
