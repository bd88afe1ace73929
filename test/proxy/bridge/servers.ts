import { Server as ServerV1 } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport as WebStandardTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import {
  createMcpHandler,
  type InputRequiredResult,
  ProtocolError,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

/** An upstream MCP server of the SDK in this process, with the requests that came. */
export interface SdkServer {
  readonly fetch: typeof globalThis.fetch;
  readonly requests: readonly SeenRequest[];
  /** How often a tool was called. */
  calls(): number;
  /** Sessions that were begun and not ended. */
  sessions(): number;
}

export interface SeenRequest {
  readonly httpMethod: string;
  /** JSON-RPC; `response` for an answer to a request of the server. */
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const NAME = { type: "object" as const, properties: { name: { type: "string" as const } }, required: ["name"] };

/** Serves the revision without sessions; others only where that is said. */
export function statelessServer({ legacy = "reject" }: { readonly legacy?: "reject" | "stateless" } = {}): SdkServer {
  const calls = counter();
  const handler = createMcpHandler(() => createServer(calls), { legacy });
  return recorded(
    (request) => handler.fetch(request),
    () => 0,
    calls,
  );
}

/** Of the SDK before, which knows the revisions with sessions alone. Without session ids each request has a server of its own. */
export function v1Server(withSessions: boolean): SdkServer {
  const calls = counter();
  const transports = new Map<string, WebStandardTransport>();
  return recorded(
    async (request) => {
      const known = transports.get(request.headers.get("mcp-session-id") ?? "");
      if (known !== undefined) return known.handleRequest(request);
      const transport = new WebStandardTransport({
        sessionIdGenerator: withSessions ? () => crypto.randomUUID() : undefined,
        onsessioninitialized: (begun) => void transports.set(begun, transport),
      });
      await createV1Server(calls).connect(transport);
      return transport.handleRequest(request);
    },
    () => transports.size,
    calls,
  );
}

function createV1Server(calls: Counter): ServerV1 {
  const server = new ServerV1({ name: "upstream", version: "1" }, { capabilities: { tools: {} } });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    calls.add();
    if (params.name === "aside") {
      // On the session's own stream, as it names no request.
      const { content } = await server.elicitInput({ message: "Who are you?", requestedSchema: NAME });
      return said(`Hello ${content?.name}`);
    }
    return said(JSON.stringify(params.arguments ?? {}));
  });
  return server;
}

/** Serves revisions with sessions alone, and keeps them. */
export function sessionServer(): SdkServer {
  const calls = counter();
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return recorded(
    async (request) => {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : transports.get(id);
      if (known !== undefined) return known.handleRequest(request);
      if (id !== null) return Response.json(failure(-32001, "Session not found"), { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: () => crypto.randomUUID(),
        onsessioninitialized: (begun) => void transports.set(begun, transport),
        onsessionclosed: (ended) => void transports.delete(ended),
      });
      await createServer(calls).connect(transport);
      return transport.handleRequest(request);
    },
    () => transports.size,
    calls,
  );
}

function failure(code: number, message: string) {
  return { jsonrpc: "2.0", id: null, error: { code, message } };
}

function recorded(
  handle: (request: Request) => Promise<Response>,
  sessions: SdkServer["sessions"],
  calls: Counter,
): SdkServer {
  const requests: SeenRequest[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const text = await request.clone().text();
    const { method = "response", params = {} } = text === "" ? { method: "" } : JSON.parse(text);
    requests.push({ httpMethod: request.method, method, params });
    return handle(request);
  };
  return { fetch: fetch as typeof globalThis.fetch, requests, sessions, calls: calls.count };
}

interface Counter {
  add(): void;
  count(): number;
}

function counter(): Counter {
  let count = 0;
  return {
    add: () => {
      count += 1;
    },
    count: () => count,
  };
}

/** Tools: `greet` asks for a name, `introduce` for two after each other, `echo` for nothing; `long` answers at length, `fail` not at all. */
function createServer(calls: Counter): Server {
  const server = new Server({ name: "upstream", version: "1" }, { capabilities: { tools: {} } });
  const tools = ["greet", "introduce"].map((name) => ({ name, inputSchema: { type: "object" as const } }));
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("tools/call", (request, ctx) => {
    calls.add();
    const { name, arguments: given = {} } = request.params;
    if (name === "fail") throw new ProtocolError(-32000, "no session for you");
    const { inputResponses = {} } = ctx.mcpReq;
    const state = String(ctx.mcpReq.requestState() ?? "");
    const answered = textOf(inputResponses.who);
    if (name === "greet") {
      if (inputResponses.who === undefined) return asking("Who are you?", "greeting:0");
      return said(`Hello ${answered ?? "nobody"} (${state})`);
    }
    if (name === "introduce") {
      if (inputResponses.who === undefined) return asking("Who is the first?", "");
      if (!state.startsWith("first:")) return asking("Who is the second?", `first:${answered}`);
      return said(`${state.slice("first:".length)} meets ${answered}`);
    }
    if (name === "long") return said("x".repeat(Number(given.length)));
    return said(JSON.stringify(given));
  });
  return server;
}

function asking(message: string, requestState: string): InputRequiredResult {
  return {
    resultType: "input_required",
    inputRequests: { who: { method: "elicitation/create", params: { mode: "form", message, requestedSchema: NAME } } },
    ...(requestState !== "" && { requestState }),
  };
}

function said(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

function textOf(response: unknown): string | undefined {
  return (response as { content?: { name?: string } } | undefined)?.content?.name;
}
