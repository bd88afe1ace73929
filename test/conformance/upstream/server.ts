import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createChanges } from "./changes.ts";
import { refuseForm, refuseStranger } from "./guard.ts";
import { readBody, refuse, sendError } from "./http.ts";
import { INTERNAL_ERROR, PARSE_ERROR, RpcError, readMessage } from "./json-rpc.ts";
import { describeMessage, type RequestLog } from "./request-log.ts";
import { sessionDelete, sessionGet } from "./session/get.ts";
import { sessionPost } from "./session/post.ts";
import type { Sessions } from "./session/session.ts";
import { isStateless } from "./stateless/claim.ts";
import { statelessPost } from "./stateless/post.ts";
import { createRequestStates } from "./stateless/request-state.ts";

export interface ConformanceUpstream {
  /** Of its one endpoint, which serves both generations. */
  readonly url: string;
  stop(): Promise<void>;
}

export interface UpstreamOptions {
  /** By default any that is free. */
  readonly port?: number;
  readonly log?: RequestLog;
}

/** An MCP server for the scenarios of the conformance suite, on loopback. It refuses whatever is not as the protocol has it. */
export async function startConformanceUpstream({ port = 0, log }: UpstreamOptions = {}): Promise<ConformanceUpstream> {
  const handle = createHandler();
  const server = createServer((request, response) => {
    const entry = log?.begin(request, response);
    handle(request, response, (body) => entry?.tellBody(body)).catch((cause: unknown) => {
      const error = cause instanceof RpcError ? cause : new RpcError(INTERNAL_ERROR, String(cause));
      if (response.headersSent) response.destroy();
      else sendError(response, error.code === INTERNAL_ERROR ? 500 : 400, error);
    });
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  tellBody: (description: string) => void,
) => Promise<void>;

function createHandler(): Handler {
  const sessions: Sessions = new Map();
  const changes = createChanges();
  const stateless = { states: createRequestStates(), tasks: new Map(), changes };
  return async (request, response, tellBody) => {
    const isPost = request.method === "POST";
    const refusal = refuseStranger(request) ?? (isPost ? refuseForm(request) : undefined);
    if (refusal !== undefined) return refuse(response, refusal.status, refusal.message);
    if (request.method === "GET") return sessionGet(request, response, sessions);
    if (request.method === "DELETE") return sessionDelete(request, response, sessions);
    if (!isPost) return refuse(response, 405, "Only POST, GET and DELETE are served.");
    const message = readMessage(parse(await readBody(request)));
    if (message === undefined) return refuse(response, 400, "The body is not one message of JSON-RPC 2.0.");
    tellBody(describeMessage(message));
    if (isStateless(request, message)) return statelessPost(request, message, response, stateless);
    return sessionPost(request, message, response, sessions, changes);
  };
}

/** @throws RpcError for what is not JSON */
function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new RpcError(PARSE_ERROR, "The body is not JSON.");
  }
}
