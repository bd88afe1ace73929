import type { IncomingMessage, ServerResponse } from "node:http";
import { type RpcMessage, tell } from "./run.ts";

export interface UpstreamSession {
  readonly id: string;
  /** Who called first in it. */
  label?: string;
}

/** The sessions of one life of the process. */
export type Sessions = Map<string, UpstreamSession>;

/** Milliseconds between two things that a session's stream tells. */
const RHYTHM = 250;

/** Answers `initialize` with a new session. */
export function initialize({ id, params }: RpcMessage, response: ServerResponse, sessions: Sessions): void {
  const session: UpstreamSession = { id: crypto.randomUUID() };
  sessions.set(session.id, session);
  const result = {
    protocolVersion: params?.protocolVersion,
    capabilities: { tools: {}, resources: {}, logging: {} },
    serverInfo: { name: "chaos", version: "1" },
  };
  response.writeHead(200, { "content-type": "application/json", "mcp-session-id": session.id });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

/** The session that a request names; answers those that name none or one of an earlier life. */
export function sessionOf(
  request: IncomingMessage,
  response: ServerResponse,
  sessions: Sessions,
): UpstreamSession | undefined {
  const session = sessions.get(String(request.headers["mcp-session-id"]));
  if (session !== undefined) return session;
  const status = request.headers["mcp-session-id"] === undefined ? 400 : 404;
  const error = { code: -32001, message: "Session not found" };
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  return undefined;
}

/** The session's own stream: again and again it tells whose session it is. */
export function holdStream(session: UpstreamSession, response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  const timer = setInterval(() => {
    if (session.label === undefined) return;
    const data = { label: session.label, session: session.id };
    tell(response, { method: "notifications/message", params: { level: "info", logger: "chaos", data } });
  }, RHYTHM);
  response.once("close", () => clearInterval(timer));
}
