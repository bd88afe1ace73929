import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";

export interface Message {
  readonly id?: string | number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** One connection, on the server's side. */
export interface Stream {
  readonly number: number;
  readonly headers: IncomingMessage["headers"];
  /** What was posted to it, in order. */
  readonly posted: Message[];
  send(message: Record<string, unknown>): void;
  write(text: string): void;
  /** Ends the stream. */
  end(): void;
  readonly closed: Promise<void>;
}

/** A message to the server that nothing answers of itself. */
export interface Posted {
  readonly message: Message;
  readonly stream: Stream;
  readonly response: ServerResponse;
}

/** An upstream of the legacy transport. */
export interface SSEServer {
  readonly url: string;
  readonly streams: readonly Stream[];
  readonly posts: readonly { readonly headers: IncomingMessage["headers"]; readonly message: Message }[];
  /** What becomes of requests, and of other messages that have a result or an error; returns whether it answered HTTP itself. */
  onMessage: (posted: Posted) => unknown;
  /** Answers GET instead; undefined: as servers do. */
  onGet: ((response: ServerResponse) => void) | undefined;
  /** The result of `initialize`. */
  said: Readonly<Record<string, unknown>>;
  /** What the `endpoint` event names. */
  endpoint: (number: number) => string;
}

export function withSSEServer(): SSEServer {
  const streams: Stream[] = [];
  const posts: { headers: IncomingMessage["headers"]; message: Message }[] = [];
  let url = "";
  const it = { streams, posts } as unknown as { -readonly [K in keyof SSEServer]: SSEServer[K] };
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      if (it.onGet !== undefined) return it.onGet(response);
      const stream = open(streams.length, request, response);
      streams.push(stream);
      return stream.write(`event: endpoint\ndata: ${it.endpoint(stream.number)}\n\n`);
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    const message: Message = JSON.parse(body);
    posts.push({ headers: request.headers, message });
    const stream = streams[Number(new URL(request.url ?? "", url).searchParams.get("session"))];
    if (stream === undefined) return void response.writeHead(404).end("Session not found");
    stream.posted.push(message);
    if (message.method === "initialize") stream.send({ id: message.id, result: it.said });
    else if (message.method === "logging/setLevel") stream.send({ id: message.id, result: {} });
    else if (it.onMessage({ message, stream, response }) === true) return;
    response.writeHead(202).end("Accepted");
  });
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse?key=1`;
    it.url = url;
  });
  beforeEach(() => {
    for (const { end } of streams.splice(0)) end();
    posts.splice(0);
    it.onMessage = ECHO;
    it.onGet = undefined;
    it.said = SAID;
    it.endpoint = (number) => `/messages?session=${number}`;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  return it;
}

export const SAID = {
  protocolVersion: "2024-11-05",
  capabilities: { tools: {} },
  serverInfo: { name: "up", version: "1" },
};

/** Answers each call with its arguments, and how many calls the connection has had. */
export const ECHO: SSEServer["onMessage"] = ({ message, stream }) => {
  if (message.method !== "tools/call") return;
  const calls = stream.posted.filter(({ method }) => method === "tools/call").length;
  stream.send({ id: message.id, result: { said: message.params?.arguments, calls } });
};

/** Calls that wait until the test answers them. */
export function waitingCalls(upstream: SSEServer) {
  const calls: Posted[] = [];
  let arrival = Promise.withResolvers<void>();
  upstream.onMessage = (posted) => {
    if (posted.message.method !== "tools/call") return;
    calls.push(posted);
    arrival.resolve();
    arrival = Promise.withResolvers();
  };
  const arrived = async (count: number): Promise<void> => {
    while (calls.length < count) await arrival.promise;
  };
  const answer = (name: string, result: unknown): void => {
    const call = calls.find(({ message }) => message.params?.name === name);
    call?.stream.send({ result, id: call.message.id });
  };
  return { calls, arrived, answer };
}

function open(number: number, request: IncomingMessage, response: ServerResponse): Stream {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const write = (text: string): void => void response.write(text);
  return {
    number,
    headers: request.headers,
    posted: [],
    write,
    send: (message) => write(`event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`),
    end: () => void response.end(),
    closed: new Promise((resolve) => response.once("close", resolve)),
  };
}
