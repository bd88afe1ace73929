import { serve } from "@hono/node-server";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import * as z from "zod";
import { type Bearer, type BearerCheck, bearerCheck, type TokenTerms } from "./bearer.ts";

interface Notice {
  readonly noticeId: string;
  readonly text: string;
  /** The agent that put it up, as its token names it. */
  readonly by: string;
}

export interface RunningBoard {
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Serves the library's notice board as an MCP server on a loopback port; rejects with the cause when the port is taken. It takes
 * tokens that were made for it, and for nobody else, and looks in them for who calls and what is allowed.
 */
export function startBoard(port: number, terms: TokenTerms): Promise<RunningBoard> {
  const notices: Notice[] = [{ noticeId: "notice-1", text: "We close at noon on Saturday.", by: "the librarian" }];
  const fetch = boardEndpoint(notices, bearerCheck(terms));
  return new Promise((resolve, reject) => {
    const server = serve({ fetch, port, hostname: "localhost" }, (address) =>
      resolve({
        url: `http://localhost:${address.port}/mcp`,
        stop: () => new Promise((stopped) => server.close(() => stopped())),
      }),
    );
    server.on("error", reject);
  });
}

/** The MCP endpoint at `/mcp`: the SDK's server, one a request, for whoever has a token. */
function boardEndpoint(notices: Notice[], check: BearerCheck): (request: Request) => Promise<Response> {
  return async (request) => {
    if (new URL(request.url).pathname !== "/mcp") return new Response(null, { status: 404 });
    const bearer = await check(request);
    if (bearer === undefined) return new Response(null, { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
    return createMcpHandler(() => boardServer(notices, bearer)).fetch(request);
  };
}

function boardServer(notices: Notice[], { agent, scopes }: Bearer): McpServer {
  const server = new McpServer({ name: "notice board", version: "1.0.0" });
  const list = {
    title: "List the notices",
    description: "What hangs on the library's notice board, the newest first.",
    annotations: { readOnlyHint: true },
  };
  server.registerTool("listNotices", list, () =>
    scopes.includes("Board.Read") ? told({ notices: notices.toReversed() }) : missing("Board.Read"),
  );
  const post = {
    title: "Put up a notice",
    description: "Puts a notice on the library's board, where every visitor reads it. It names who put it up.",
    inputSchema: z.object({ text: z.string().min(1) }),
  };
  server.registerTool("postNotice", post, ({ text }) => {
    if (!scopes.includes("Board.Post")) return missing("Board.Post");
    const notice = { noticeId: `notice-${notices.length + 1}`, text, by: agent };
    notices.push(notice);
    return told({ notice });
  });
  return server;
}

function told(content: Readonly<Record<string, unknown>>) {
  return { content: [{ type: "text" as const, text: JSON.stringify(content) }], structuredContent: content };
}

function missing(scope: string) {
  return { content: [{ type: "text" as const, text: `The token lacks the scope ${scope}.` }], isError: true };
}
