import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "@hono/node-server";
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** What agents call: the same tools as an API (`api.openapi.yaml`), as an MCP server, and in `python/server.py`. */
export interface Toolbox {
  readonly url: string;
  stop(): Promise<void>;
}

/** More than a client of the Python SDK takes in one event. */
const BIG = "x".repeat(1536 * 1024);
/** Several of them are several reads for the gateway. */
const PART = "y".repeat(64 * 1024);

const WHO = inputRequired.elicit({
  message: "Who is it?",
  requestedSchema: { type: "object", properties: { value: { type: "string" } }, required: ["value"] },
});

export async function startToolboxAPI(): Promise<Toolbox> {
  let stopped = 0;
  const answers: Readonly<Record<string, (response: ServerResponse, query: URLSearchParams) => unknown>> = {
    "/greet": (response, query) => response.end(`Hello ${query.get("name")}`),
    "/fail": (response) => response.writeHead(409).end("out of stock"),
    "/slow": (response) => response.once("close", () => stopped++),
    "/stopped": (response) => response.end(String(stopped)),
    "/count": async (response) => {
      for (let part = 0; part < 4; part++) {
        response.write(PART);
        await pause(20);
      }
      response.end();
    },
    "/big": (response) => response.end(BIG),
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://toolbox");
    response.setHeader("content-type", "text/plain");
    const answer = answers[pathname];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response, searchParams);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** It speaks the generation without sessions only, so that agents with sessions need the gateway's translation. */
export async function startToolboxServer(): Promise<Toolbox> {
  const state = { stopped: 0 };
  const handler = createMcpHandler(() => toolboxServer(state), { legacy: "reject" });
  const server = serve({ fetch: (request) => handler.fetch(request), port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      if ("closeAllConnections" in server) server.closeAllConnections();
      await closed;
    },
  };
}

function toolboxServer(state: { stopped: number }): McpServer {
  const server = new McpServer({ name: "toolbox", version: "1" }, { capabilities: { logging: {} } });
  server.registerTool("greet", { inputSchema: z.object({ name: z.string() }) }, ({ name }) => said(`Hello ${name}`));
  server.registerTool("fail", {}, () => ({ ...said("out of stock"), isError: true }));
  server.registerTool("slow", {}, async ({ mcpReq }) => {
    await once(mcpReq.signal, "abort");
    state.stopped++;
    return said("given up");
  });
  server.registerTool("stopped", {}, () => said(String(state.stopped)));
  server.registerTool("count", {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of progressToken === undefined ? [] : [1, 2, 3])
      await mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken: progressToken ?? "", progress },
      });
    return said("counted");
  });
  server.registerTool("tell", {}, async ({ mcpReq }) => {
    await mcpReq.log("info", "I was called");
    return said("told");
  });
  server.registerTool("who", {}, ({ mcpReq }) => {
    const answer = acceptedContent<{ value: string }>(mcpReq.inputResponses, "who");
    return answer === undefined ? inputRequired({ inputRequests: { who: WHO } }) : said(`It is ${answer.value}`);
  });
  server.registerTool("big", {}, () => said(BIG));
  const text = (uri: URL, of: string) => ({ contents: [{ uri: uri.href, mimeType: "text/plain", text: of }] });
  server.registerResource("about", "toolbox://about", {}, (uri) => text(uri, "Ten shelves."));
  const items = new ResourceTemplate("toolbox://items/{item}", { list: undefined });
  server.registerResource("item", items, {}, (uri, { item }) => text(uri, `Item ${item}`));
  server.registerPrompt("ask", { argsSchema: z.object({ topic: z.string() }) }, ({ topic }) => ({
    messages: [{ role: "user", content: { type: "text", text: `Tell me about ${topic}` } }],
  }));
  return server;
}

function said(text: string) {
  return { content: [{ type: "text" as const, text }] };
}
