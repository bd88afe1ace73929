import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, vi } from "vitest";
import { type BridgeTarget, invokeOperation } from "../../lib/openapi/invoke.ts";
import type { ReportProgress } from "../../lib/openapi/progress.ts";
import type { Invocation } from "../../lib/openapi/response/invocation.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { compileOperation } from "./compiled.ts";

/** An API of one operation on a loopback port, which answers what a test says. */
export interface AnsweringApi {
  readonly url: string;
  /** Headers of the last request. */
  readonly asked: Readonly<Record<string, unknown>>;
  /** Whether the last answer's connection ended before the answer did. */
  readonly leftEarly: boolean;
  /** From now on it answers so. */
  answer(listener: RequestListener): void;
  /** Calls a tool of the operation; by default GET, of which nothing is documented. */
  call(listener: RequestListener, options?: CallOptions): Promise<Invocation>;
}

export interface CallOptions extends Partial<Pick<BridgeTarget, "signal" | "lenient">> {
  /** The time of the call is over when the first chunk of the answer was read. */
  readonly endsEarly?: boolean;
  readonly method?: string;
  readonly operation?: Readonly<Record<string, unknown>>;
  readonly given?: unknown;
  readonly progress?: ReportProgress;
}

export function withAnsweringApi(): AnsweringApi {
  let listener: RequestListener = (_, response) => void response.end();
  let asked: Readonly<Record<string, unknown>> = {};
  let last: ServerResponse | undefined;
  const server = createServer((request, response) => {
    asked = request.headers;
    last = response;
    listener(request, response);
  });
  let url = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const check = createSchemaCheck();
  return {
    get url() {
      return url;
    },
    get asked() {
      return asked;
    },
    get leftEarly() {
      return last?.destroyed === true && !last.writableFinished;
    },
    answer: (given) => {
      listener = given;
    },
    call: async (given, options = {}) => {
      listener = given;
      const { method = "get", operation = documented(undefined), given: args = {}, endsEarly, ...more } = options;
      const tool = await compileOperation(method, "/answer", operation);
      const signal = new AbortController().signal;
      const target = { baseURL: url, timeout: TIMEOUT, headers: {}, fetch: globalThis.fetch, check, signal, ...more };
      return endsEarly
        ? endingEarly((fetch) => invokeOperation(tool, args, { ...target, fetch }))
        : invokeOperation(tool, args, target);
    },
  };
}

/** Milliseconds; no test waits for it. */
const TIMEOUT = 20_000;

async function endingEarly<T>(call: (fetch: typeof globalThis.fetch) => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    return await call(async (input, init) => {
      const response = await fetch(input, init);
      const lateBehind = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          controller.enqueue(chunk);
          setImmediate(() => vi.advanceTimersByTime(TIMEOUT));
        },
      });
      return new Response(response.body?.pipeThrough(lateBehind) ?? null, response);
    });
  } finally {
    vi.useRealTimers();
  }
}

/** An operation whose success is of this content. */
export function documented(content: unknown, status = "200") {
  return {
    operationId: "answer",
    responses: { [status]: { description: "ok", ...(content !== undefined && { content }) } },
  };
}

export function documentedJson(schema: unknown = {}) {
  return documented({ "application/json": { schema } });
}

/** Answers at once. */
export function sends(
  body: string | Uint8Array,
  type: string | undefined,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): RequestListener {
  return (_, response) => {
    response.writeHead(status, { ...(type !== undefined && { "content-type": type }), ...headers }).end(body);
  };
}

export function textOf({ result }: Invocation): string {
  return result.content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
