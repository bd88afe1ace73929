import { Agent, type IncomingMessage, request } from "node:http";
import { SESSION_HEADERS } from "./mcp.ts";

/** Many callers on one machine: each address of the loopback network is a caller of its own to the server. */
export function callerAddress(index: number): string {
  return `127.1.${Math.floor(index / 250) % 250}.${(index % 250) + 1}`;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  /** Milliseconds. */
  readonly latency: number;
}

export interface Caller {
  post(message: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  /** Opens a stream and stays; the body is the caller's to read. */
  listen(sessionId: string): Promise<IncomingMessage>;
  close(): void;
}

/** A caller of its own address, with kept-alive connections. */
export function caller(port: number, localAddress: string, maxSockets = 16): Caller {
  const agent = new Agent({ keepAlive: true, maxSockets });
  const options = { host: "127.0.0.1", port, path: "/mcp", localAddress } as const;
  return {
    post: (message, headers = {}) =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(message);
        const startedAt = performance.now();
        const all = { ...SESSION_HEADERS, ...headers, "Content-Length": Buffer.byteLength(body) };
        const sent = request({ ...options, agent, method: "POST", headers: all }, (response) => {
          response.resume().once("end", () => {
            const { statusCode = 0, headers: received } = response;
            resolve({ status: statusCode, headers: received, latency: performance.now() - startedAt });
          });
        });
        sent.once("error", reject);
        sent.end(body);
      }),
    listen: (sessionId) =>
      new Promise((resolve, reject) => {
        const headers = { ...SESSION_HEADERS, Accept: "text/event-stream", "Mcp-Session-Id": sessionId };
        request({ ...options, agent: false, method: "GET", headers }, resolve)
          .once("error", reject)
          .end();
      }),
    close: () => agent.destroy(),
  };
}

const PARAMS = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "bench", version: "1" } };

export const INITIALIZE: unknown = { jsonrpc: "2.0", id: 1, method: "initialize", params: PARAMS };

/** Begins a session. Returns its id. */
export async function beginSession(from: Caller): Promise<string> {
  const { status, headers } = await from.post(INITIALIZE);
  const id = headers["mcp-session-id"];
  if (typeof id !== "string") throw new Error(`initialize was answered with ${status}`);
  return id;
}

/** Runs work for each index, some at a time. */
export async function forEach(count: number, work: (index: number) => Promise<void>, atATime = 16): Promise<void> {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: atATime }, run));
}

/** Sessions that one address may begin at once. */
const A_CALLER = 50;

/** Begins sessions from as many addresses as that takes. Returns their ids. */
export async function beginSessions(port: number, count: number): Promise<readonly string[]> {
  const sessions: string[] = [];
  await forEach(Math.ceil(count / A_CALLER), async (index) => {
    const from = caller(port, callerAddress(index), 1);
    for (let session = index * A_CALLER; session < Math.min(count, (index + 1) * A_CALLER); session++)
      sessions.push(await beginSession(from));
    from.close();
  });
  return sessions;
}
