import { type IncomingMessage, request } from "node:http";

export interface Posted {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Nothing: a GET, or with `method` another request without content. */
  readonly body?: object;
  readonly method?: string;
  /** How long it may take altogether, milliseconds. */
  readonly limit: number;
  /** After so many milliseconds nobody waits any more. */
  readonly leaveAfter?: number | undefined;
}

export interface Answered {
  readonly status: number;
  readonly session: string | undefined;
  readonly type: string;
  readonly text: string;
}

export type Loss = "lost" | "unsent" | "left" | "timeout";

/** One request on a connection of its own, sent once: a connection that breaks is the gateway's. */
export function post({ url, headers, body, method, limit, leaveAfter }: Posted): Promise<Answered | { loss: Loss }> {
  return new Promise((resolve) => {
    const text = body === undefined ? "" : JSON.stringify(body);
    const outgoing = request(url, {
      agent: false,
      method: method ?? "POST",
      headers: {
        accept: "application/json, text/event-stream",
        ...(body !== undefined && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
        ...headers,
      },
    });
    const giveUp = (loss: Loss) => () => {
      settle({ loss });
      outgoing.destroy();
    };
    const timers = [
      setTimeout(giveUp("timeout"), limit),
      ...(leaveAfter === undefined ? [] : [setTimeout(giveUp("left"), leaveAfter)]),
    ];
    const settle = (outcome: Answered | { loss: Loss }): void => {
      timers.forEach(clearTimeout);
      resolve(outcome);
    };
    const fail = (error: NodeJS.ErrnoException): void =>
      settle({ loss: error.code === "ECONNREFUSED" ? "unsent" : "lost" });
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => void readAll(incoming).then(settle, fail));
    outgoing.end(text);
  });
}

async function readAll(incoming: IncomingMessage): Promise<Answered> {
  let text = "";
  incoming.setEncoding("utf8");
  for await (const piece of incoming) text += piece;
  const session = incoming.headers["mcp-session-id"];
  return {
    status: incoming.statusCode ?? 0,
    session: typeof session === "string" ? session : undefined,
    type: incoming.headers["content-type"] ?? "",
    text,
  };
}
