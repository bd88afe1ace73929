import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import type { Loss } from "./journal.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type HttpOutcome = HttpAnswer | { readonly loss: Loss };

/** Longer than anything may take; a server that dies ends its connections at once. */
const PATIENCE = 30_000;
/** Less than servers wait before they close an idle connection: a request that met the close would be nobody's fault. */
const IDLE = 2_000;

/** Sends each request once, whatever happens to it. */
export interface HttpClient {
  send(request: HttpRequest): Promise<HttpOutcome>;
  close(): void;
}

export function httpClient(): HttpClient {
  const agent = new Agent({ keepAlive: true, timeout: IDLE });
  return { send: (wanted) => sendOnce(agent, wanted), close: () => agent.destroy() };
}

function sendOnce(agent: Agent, { method, url, headers = {}, body }: HttpRequest): Promise<HttpOutcome> {
  return new Promise((resolve) => {
    const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
    const outgoing = request(url, { agent, method, headers: { ...headers, ...length } });
    const timer = setTimeout(() => {
      resolve({ loss: "timeout" });
      outgoing.destroy();
    }, PATIENCE);
    const settle = (outcome: HttpOutcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      settle({ loss: error.code === "ECONNREFUSED" ? "unsent" : "cut_off" });
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => readAll(incoming).then(settle, fail));
    outgoing.end(body);
  });
}

async function readAll(incoming: IncomingMessage): Promise<HttpAnswer> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += piece;
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text };
}
