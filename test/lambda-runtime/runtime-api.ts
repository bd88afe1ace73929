import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import type { LambdaEvent } from "../../infra/aws/handler.ts";

/** AWS's Runtime API (version 2018-06-01) for one instance: it serves one invocation at a time. */
export interface RuntimeApi {
  /** Value of `AWS_LAMBDA_RUNTIME_API`. */
  readonly address: string;
  /** Resolves when the function has started and asks for work; rejects when its start failed. */
  readonly ready: Promise<void>;
  /** Hands an event over; yields what the function streams back. Fails with the function's own error. */
  invoke(event: LambdaEvent): AsyncIterable<Uint8Array>;
  /** The instance is gone: what it was given and everything later fails with this. */
  lost(cause: Error): void;
  /** Invocations whose answer was streamed. */
  streamed(): number;
  close(): void;
}

interface Invocation {
  readonly id: string;
  readonly event: LambdaEvent;
  readonly answer: PassThrough;
}

const PREFIX = "/2018-06-01/runtime";
const DEADLINE_MS = 60_000;

export async function startRuntimeApi(): Promise<RuntimeApi> {
  const waiting: Invocation[] = [];
  const running = new Map<string, Invocation>();
  let idle: ServerResponse | undefined;
  let streamed = 0;
  let gone: Error | undefined;
  const started = Promise.withResolvers<void>();

  const handOver = () => {
    const invocation = idle && waiting.shift();
    if (idle === undefined || invocation === undefined) return;
    running.set(invocation.id, invocation);
    idle.writeHead(200, {
      "Content-Type": "application/json",
      "Lambda-Runtime-Aws-Request-Id": invocation.id,
      "Lambda-Runtime-Deadline-Ms": String(Date.now() + DEADLINE_MS),
      "Lambda-Runtime-Invoked-Function-Arn": "arn:aws:lambda:us-east-2:000000000000:function:countersign",
    });
    idle.end(JSON.stringify(invocation.event));
    idle = undefined;
  };

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, id = "", result = ""] = new RegExp(`^${PREFIX}/invocation/([^/]+)/(\\w+)$`).exec(request.url ?? "") ?? [];
    const invocation = running.get(id);
    running.delete(id);
    if (result === "response" && invocation !== undefined) {
      if (request.headers["lambda-runtime-function-response-mode"] === "streaming") streamed++;
      request.on("aborted", () => invocation.answer.destroy(new Error("the function broke its answer off")));
      request.pipe(invocation.answer);
      await new Promise((resolve) => request.once("end", resolve));
    } else {
      const failure = new Error(`the function failed: ${await textOf(request)}`);
      if (invocation === undefined) started.reject(failure);
      else invocation.answer.destroy(failure);
    }
    response.writeHead(202, { "Content-Type": "application/json" }).end('{"status":"OK"}');
  };

  const server = createServer((request, response) => {
    if (request.url === `${PREFIX}/invocation/next`) {
      started.resolve();
      idle = response;
      handOver();
      return;
    }
    take(request, response).catch((cause: unknown) => response.destroy(cause instanceof Error ? cause : undefined));
  });
  // A function that waits for work waits as long as it takes.
  server.requestTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: started.promise,
    invoke: (event) => {
      const answer = new PassThrough();
      if (gone !== undefined) return answer.destroy(gone);
      waiting.push({ id: crypto.randomUUID(), event, answer });
      handOver();
      return answer;
    },
    lost: (cause) => {
      gone = cause;
      for (const { answer } of [...waiting, ...running.values()]) answer.destroy(cause);
      started.reject(cause);
    },
    streamed: () => streamed,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const piece of request.setEncoding("utf8") as AsyncIterable<string>) text += piece;
  return text;
}
