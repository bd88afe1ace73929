import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { JsonObject } from "../../lib/kernel/json.ts";

/** A server of this machine with documents and MCP servers, each at a path of its own. */
export interface ProbedAddresses {
  readonly url: string;
  /** Requests so far: method, path and what the message asked for. */
  readonly seen: readonly { readonly line: string; readonly headers: IncomingMessage["headers"] }[];
  /** Requests that nobody has answered. */
  waiting(): number;
  /** Ends what nobody has answered. */
  release(): void;
  stop(): Promise<void>;
}

/** Members that are written as they are, also where the text is cut in two. */
export const DOCUMENT = `openapi: 3.1.1\ninfo: {title: "Ü \\"quoted\\" 🎈", version: "1"}\n# ${"ü🎈".repeat(50_000)}\n`;

const TOOLS = [
  { name: "read", title: "Read", description: "Reads.", annotations: { readOnlyHint: true, odd: 1 } },
  { name: "write", inputSchema: { type: "object" } },
  { name: "third" },
];

const RESULTS: Readonly<Record<string, (params: JsonObject) => JsonObject>> = {
  initialize: ({ protocolVersion }) => ({
    ...{ protocolVersion, serverInfo: { name: "everything", title: "Everything", version: "7" } },
    capabilities: { tools: {}, prompts: {}, resources: {} },
  }),
  "tools/list": ({ cursor }) =>
    cursor === undefined
      ? { tools: TOOLS.slice(0, 2).map(withSchema), nextCursor: "2" }
      : { tools: TOOLS.slice(2).map(withSchema) },
  "prompts/list": () => ({ prompts: [{ name: "p" }] }),
  "resources/list": () => ({
    resources: [
      { uri: "file:///a", name: "a" },
      { uri: "file:///b", name: "b" },
    ],
  }),
};

function withSchema(tool: object): JsonObject {
  return { inputSchema: { type: "object" }, ...tool };
}

type Answer = (request: IncomingMessage, response: ServerResponse, message: JsonObject) => void;

export async function startProbedAddresses(): Promise<ProbedAddresses> {
  const seen: { readonly line: string; readonly headers: IncomingMessage["headers"] }[] = [];
  const waiting = new Set<ServerResponse>();
  const streams: ServerResponse[] = [];
  const paths: Readonly<Record<string, Answer>> = {
    "/openapi.yaml": (_, response) => response.end(DOCUMENT),
    "/moved": (_, response) => response.writeHead(302, { location: "/openapi.yaml?v=2#part" }).end("moved"),
    "/round": (_, response) => response.writeHead(302, { location: "/round" }).end(),
    "/to-a-file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
    "/to-a-machine": (_, response) => response.writeHead(302, { location: "http://169.254.169.254/latest" }).end(),
    "/latin": (_, response) => response.end(Buffer.from("title: \xfcber", "latin1")),
    "/large": (_, response) => response.writeHead(200, { "content-length": 20_000_001 }).write("{"),
    "/endless": (_, response) => {
      const more = () => response.writable && response.write("a".repeat(1_000_000), () => more());
      more();
    },
    "/broken": (_, response) => response.writeHead(200, { "content-length": 5 }).write("{", () => response.destroy()),
    "/never": (_, response) => void waiting.add(response),
    "/page": (_, response) => response.setHeader("content-type", "text/html").end("<p>the secret of the page"),
    "/mcp": (request, response, message) => {
      if (request.method === "DELETE") response.end();
      else rpc(response, message, RESULTS);
    },
    "/stateless": (_, response, message) => rpc(response, message, STATELESS),
    "/poor": (_, response, message) => rpc(response, message, POOR),
    "/broken-lists": (_, response, message) =>
      rpc(response, message, { ...RESULTS, "prompts/list": undefined as never }),
    "/no-list": (_, response, message) => rpc(response, message, { ...RESULTS, "tools/list": () => ({}) }),
    "/long": (_, response, message) => rpc(response, message, { ...RESULTS, "tools/list": () => LONG }),
    "/rude": (_, response, message) => rpc(response, message, {}),
    "/locked": (request, response, message) => {
      if (request.headers.authorization === "Bearer of-a-test") rpc(response, message, RESULTS);
      else response.writeHead(401).end("who are you?");
    },
    "/forbidden": (_, response) => response.writeHead(403).end(),
    "/sse": (request, response, message) => {
      if (request.method === "GET") {
        const index = streams.push(response) - 1;
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(`event: endpoint\ndata: /sse?session=${index}\n\n`);
        return;
      }
      response.writeHead(202).end();
      const answer = answerTo(message, RESULTS);
      const stream = streams[Number(request.url?.split("=")[1])];
      if (answer !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    },
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    const message: JsonObject = text === "" ? {} : JSON.parse(text);
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    seen.push({ line: [request.method, pathname, message.method].filter(Boolean).join(" "), headers: request.headers });
    const answer = paths[pathname];
    if (answer === undefined) response.writeHead(404).end("the secret of the page");
    else answer(request, response, message);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    waiting: () => waiting.size,
    release: () => {
      for (const response of waiting) response.destroy();
      waiting.clear();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const LONG = { tools: [withSchema({ name: "long", description: "a".repeat(1_100_000) })] };

/** A server with tools and nothing else, which does not say how it is called. */
const POOR: typeof RESULTS = {
  initialize: () => ({ protocolVersion: "2025-06-18", capabilities: { tools: {} } }),
  "tools/list": () => ({ tools: [] }),
};

/** MCP 2026-07-28. */
const STATELESS: typeof RESULTS = {
  "server/discover": () => ({
    ...{ supportedVersions: ["2026-07-28"], capabilities: { tools: {}, prompts: {} } },
    serverInfo: { name: "modern", version: "1" },
  }),
  "tools/list": () => ({ tools: [withSchema({ name: "one" })] }),
  "prompts/list": () => ({ prompts: [] }),
};

function rpc(response: ServerResponse, message: JsonObject, results: typeof RESULTS): void {
  const answer = answerTo(message, results);
  if (answer === undefined) return void response.writeHead(202).end();
  const isKnown = answer.result !== undefined || results === RESULTS;
  response.writeHead(isKnown ? 200 : 400, {
    "content-type": "application/json",
    ...(message.method === "initialize" && { "mcp-session-id": "session-1" }),
  });
  response.end(JSON.stringify(answer));
}

function answerTo({ id, method, params }: JsonObject, results: typeof RESULTS): JsonObject | undefined {
  if (id === undefined) return undefined;
  const result = results[String(method)]?.((params ?? {}) as JsonObject);
  const error = { code: -32601, message: "the secret of the server" };
  return { jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) };
}
