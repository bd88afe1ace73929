import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { getRequestListener } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";

/** Other people's services that the tutorials use; nothing leaves this machine. */
export interface StandIns {
  /** The text of a block with the stand-ins' addresses in the place of the services'. */
  put(text: string): string;
  stop(): Promise<void>;
}

/** By what the pages call them. */
const SERVICES = ["https://raw.githubusercontent.com", "https://api.github.com", "https://mcp.deepwiki.com"];

export async function startStandIns(): Promise<StandIns> {
  const server = createServer(getRequestListener(answer));
  server.listen(0, "localhost");
  await once(server, "listening");
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    put: (text) => SERVICES.reduce((done, service) => done.replaceAll(service, origin), text),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/mcp") return createMcpHandler(wiki).fetch(request);
  if (pathname.endsWith("/api.github.com.json")) return Response.json(GITHUB);
  if (request.headers.get("Authorization") !== "Bearer github_pat_of_yours") return new Response(null, { status: 401 });
  if (pathname === "/user") return Response.json({ login: "octocat" });
  return new Response(null, { status: 404 });
}

/** Of GitHub's document, the operations that the tutorial chooses, with their names and addresses. */
const GITHUB = {
  openapi: "3.0.3",
  info: { title: "GitHub", version: "1" },
  paths: {
    "/user": { get: operation("users/get-authenticated", "Get the authenticated user") },
    "/user/repos": { get: operation("repos/list-for-authenticated-user", "List repositories") },
    "/repos/{owner}/{repo}/issues": {
      parameters: named("owner", "repo"),
      get: operation("issues/list-for-repo", "List repository issues"),
      post: operation("issues/create", "Create an issue"),
    },
    "/repos/{owner}/{repo}/issues/{issue_number}": {
      parameters: named("owner", "repo", "issue_number"),
      get: operation("issues/get", "Get an issue"),
    },
    "/repos/{owner}/{repo}/issues/{issue_number}/comments": {
      parameters: named("owner", "repo", "issue_number"),
      get: operation("issues/list-comments", "List issue comments"),
      post: operation("issues/create-comment", "Create an issue comment"),
    },
  },
};

function operation(operationId: string, summary: string) {
  const content = { "application/json": { schema: { type: "object" } } };
  return { operationId, summary, responses: { "200": { description: "The answer.", content } } };
}

function named(...names: readonly string[]) {
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

/** A server with one of the tools that DeepWiki's has. */
function wiki(): McpServer {
  const server = new McpServer({ name: "wiki", version: "1.0.0" });
  const read = { description: "The topics of a repository.", inputSchema: z.object({ repoName: z.string() }) };
  server.registerTool("read_wiki_structure", read, ({ repoName }) => ({
    content: [{ type: "text", text: `Topics of ${repoName}` }],
  }));
  return server;
}
