import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ListRootsRequestSchema,
  ResourceUpdatedNotificationSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { Server, WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { type ProxyGateway, proxyGateway } from "./gateway.ts";
import { listening } from "./session-upstream.ts";

/** A session of the upstream. What its server asks on its own stream gets lost while there is none. */
interface UpstreamSession {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly streaming: PromiseWithResolvers<void>;
}

/** An SDK's client, the gateway, and an SDK's server, each as people install them. */

let upstream: Awaited<ReturnType<typeof listening>>;
let it: ProxyGateway;
const sessions = new Map<string, UpstreamSession>();
beforeAll(async () => {
  upstream = await listening(async (request) => {
    const known = sessions.get(request.headers.get("mcp-session-id") ?? "");
    if (known !== undefined) {
      const response = await known.transport.handleRequest(request);
      if (request.method === "GET") known.streaming.resolve();
      return response;
    }
    const streaming = Promise.withResolvers<void>();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (begun) => void sessions.set(begun, { transport, streaming }),
      onsessionclosed: (ended) => void sessions.delete(ended),
    });
    await createServer(streaming.promise).connect(transport);
    return transport.handleRequest(request);
  });
  it = await proxyGateway({ ledger: upstream.url });
});
afterAll(async () => {
  await it.close();
  await upstream.close();
});

function createServer(streaming: Promise<void>): Server {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };
  const server = new Server({ name: "upstream", version: "1" }, { capabilities });
  const tools = ["ask", "change"].map((name) => ({ name, inputSchema: { type: "object" as const } }));
  server.setRequestHandler("tools/list", () => ({ tools }));
  server.setRequestHandler("resources/list", () => ({ resources: [{ name: "a", uri: "file:///a" }] }));
  server.setRequestHandler("resources/subscribe", ({ params: { uri } }) => {
    setTimeout(() => void server.sendResourceUpdated({ uri }));
    return {};
  });
  server.setRequestHandler("tools/call", async ({ params }) => {
    await streaming;
    if (params.name === "change") {
      await server.sendToolListChanged();
      return { content: [] };
    }
    const { roots } = await server.listRoots();
    const content = { type: "text" as const, text: String(roots[0]?.uri) };
    let progress = 0;
    const made = await server.createMessage(
      { messages: [{ role: "user", content }], maxTokens: 10 },
      { onprogress: (told) => (progress = told.progress) },
    );
    return { content: [{ type: "text", text: JSON.stringify([made.content, progress]) }] };
  });
  return server;
}

const TRANSPORTS = [
  { name: "Streamable HTTP", Transport: StreamableHTTPClientTransport, path: "/mcp" },
  { name: "HTTP+SSE", Transport: SSEClientTransport, path: "/sse" },
] as const;

async function connect({ Transport, path }: (typeof TRANSPORTS)[number] = TRANSPORTS[0]): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { capabilities: { sampling: {}, roots: {} } });
  const send = (input: string | URL, init?: RequestInit) => {
    const { pathname, search } = new URL(input);
    return it.send(pathname + search, init);
  };
  const transport = new Transport(new URL(ISSUER + path), { fetch: send });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///home" }] }));
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { sendNotification }) => {
    const progressToken = params._meta?.progressToken ?? "";
    await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 4 } });
    const [first] = params.messages;
    const [content] = [first?.content].flat();
    return { model: "m", role: "assistant", content: content ?? { type: "text", text: "" } } as never;
  });
  // The SDK's own class fits its own interface only without exactOptionalPropertyTypes.
  await client.connect(transport as Transport);
  return client;
}

test.each(TRANSPORTS)(
  "over $name a call asks the client for its roots and its model, and hears how that goes",
  async (over) => {
    const client = await connect(over);
    const { content } = await client.callTool({ name: "ledger_ask", arguments: {} });
    const [made, progress] = JSON.parse((content as readonly { readonly text: string }[])[0]?.text ?? "");
    expect(made).toEqual({ type: "text", text: "file:///home" });
    expect(progress).toBe(4);
    await client.close();
  },
);

test("the client hears what changes", async () => {
  const client = await connect();
  const changed = Promise.withResolvers<void>();
  const updated = Promise.withResolvers<string>();
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => changed.resolve());
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => updated.resolve(params.uri));
  await client.subscribeResource({ uri: "ledger+file:///a" });
  await client.callTool({ name: "ledger_change", arguments: {} });
  await changed.promise;
  expect(await updated.promise).toBe("ledger+file:///a");
  await client.close();
});
