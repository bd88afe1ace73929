import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll } from "vitest";
import { decodeUtf8 } from "../../../lib/upstream/wire/byte-source.ts";
import type { UpstreamMessage } from "../../../lib/upstream/wire/upstream-message.ts";
import type { WireAnswer } from "../../../lib/upstream/wire/wire-answer.ts";
import type { WireTarget } from "../../../lib/upstream/wire/wire-target.ts";

/** An HTTP server on a loopback port, which answers what a test says. */
export interface AnsweringUpstream {
  /** The last request. */
  readonly asked: {
    readonly method?: string;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly body: string;
  };
  /** Resolves when the last answer's connection was closed before the answer ended. */
  left(): Promise<void>;
  /** From now on it answers so; what leads to it. */
  answers(listener: RequestListener, options?: Partial<WireTarget>): WireTarget;
}

export function withUpstream(): AnsweringUpstream {
  let listener: RequestListener = (_, response) => void response.end();
  let asked = { headers: {}, body: "" };
  let last: ServerResponse | undefined;
  const server = createServer(async (request, response) => {
    last = response;
    let body = "";
    for await (const chunk of request) body += chunk;
    asked = { ...(request.method !== undefined && { method: request.method }), headers: request.headers, body };
    listener(request, response);
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    get asked() {
      return asked;
    },
    left: async () => {
      const response = last as ServerResponse;
      if (!response.closed) await new Promise<void>((resolve) => response.once("close", resolve));
      if (response.writableFinished) throw new Error("The answer came to its end.");
    },
    answers: (given, options) => {
      listener = given;
      return { url, fetch: globalThis.fetch, headers: {}, signal: new AbortController().signal, ...options };
    },
  };
}

/** Answers at once. */
export function sends(body: string | Uint8Array, type?: string, status = 200): RequestListener {
  return (_, response) => void response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
}

export const JSON_TYPE = "application/json";
export const EVENTS = "text/event-stream";

/** The texts of all messages, long ones read piece by piece. */
export async function textsOf(answer: WireAnswer): Promise<readonly string[]> {
  if (answer.kind !== "messages") throw new Error(`The answer is ${answer.kind}.`);
  const texts: string[] = [];
  for await (const message of answer.messages) texts.push(await textOf(message));
  return texts;
}

export async function textOf(message: UpstreamMessage): Promise<string> {
  if (message.kind === "whole") return message.text;
  const chunks: Uint8Array[] = [];
  for await (const chunk of message.chunks) chunks.push(chunk);
  return decodeUtf8(Buffer.concat(chunks));
}

export async function failureOf(action: Promise<unknown>): Promise<unknown> {
  return action.then(
    (value) => {
      throw new Error(`There is no failure but ${JSON.stringify(value)}.`);
    },
    (error: unknown) => error,
  );
}
