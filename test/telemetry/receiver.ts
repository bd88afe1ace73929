import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createTlsServer, type ServerOptions } from "node:https";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { eventually } from "../support/eventually.ts";
import { decodeMetrics, decodeSpans, type ReceivedMetric, type ReceivedSpan } from "./otlp.ts";

/** One export that arrived. */
export interface ReceivedExport {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** Uncompressed. */
  readonly bytes: Uint8Array;
  readonly encoding: "json" | "protobuf";
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** An OTLP/HTTP collector on a loopback port: traces at `/v1/traces`, metrics at `/v1/metrics`. */
export interface Receiver {
  readonly url: string;
  readonly exports: readonly ReceivedExport[];
  /** What arrived in exports that were taken, oldest first. */
  spans(): readonly ReceivedSpan[];
  metrics(): readonly ReceivedMetric[];
  /** Waits for a span. */
  span(wanted: (span: ReceivedSpan) => boolean): Promise<ReceivedSpan>;
  /** Answers so from now on, also what waits; undefined: not at all, until there is another answer. */
  answerWith(answer: ((received: ReceivedExport) => Answer | undefined) | undefined): void;
  stop(): Promise<void>;
}

const TAKEN: Answer = { status: 200 };

/**
 * @param tls makes it a collector behind TLS
 * @param wantedPort a free one unless given
 */
export async function startReceiver(tls?: ServerOptions, wantedPort = 0): Promise<Receiver> {
  const received: { readonly export: ReceivedExport; isTaken: boolean }[] = [];
  const waiting = new Set<() => void>();
  let answer: ((received: ReceivedExport) => Answer | undefined) | undefined = () => TAKEN;

  const server = listener(tls, async (incoming, respond) => {
    const one = { export: await read(incoming), isTaken: false };
    received.push(one);
    const reply = () => {
      const given = answer?.(one.export);
      if (given === undefined) return;
      waiting.delete(reply);
      one.isTaken = given.status === 200;
      respond(given);
    };
    waiting.add(reply);
    reply();
  });
  await new Promise<void>((resolve) => server.listen(wantedPort, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const taken = (path: string) => received.filter((one) => one.isTaken && one.export.path.split("?", 1)[0] === path);
  const spans = () => taken("/v1/traces").flatMap(({ export: one }) => decodeSpans(one.bytes, one.encoding));
  const metrics = () => taken("/v1/metrics").flatMap(({ export: one }) => decodeMetrics(one.bytes, one.encoding));
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    get exports() {
      return received.map((one) => one.export);
    },
    spans,
    metrics,
    span: async (wanted) =>
      found(
        await eventually(
          async () => spans(),
          (all) => all.some(wanted),
        ),
        wanted,
      ),
    answerWith: (given) => {
      answer = given;
      for (const reply of waiting) reply();
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listener(
  tls: ServerOptions | undefined,
  handle: (incoming: IncomingMessage, respond: (answer: Answer) => void) => Promise<void>,
): Server {
  const answer = (incoming: IncomingMessage, outgoing: import("node:http").ServerResponse) => {
    const respond = ({ status, headers = {}, body = "" }: Answer) => outgoing.writeHead(status, headers).end(body);
    handle(incoming, respond).catch((error: unknown) => outgoing.destroy(error as Error));
  };
  return tls === undefined ? createServer(answer) : createTlsServer(tls, answer);
}

async function read(incoming: IncomingMessage): Promise<ReceivedExport> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const raw = Buffer.concat(chunks);
  const { url = "", headers } = incoming;
  return {
    path: url,
    headers,
    bytes: headers["content-encoding"] === "gzip" ? gunzipSync(raw) : raw,
    encoding: headers["content-type"] === "application/json" ? "json" : "protobuf",
  };
}

function found<T>(all: readonly T[], wanted: (one: T) => boolean): T {
  const last = all.findLast(wanted);
  if (last === undefined) throw new Error("it was there a moment ago");
  return last;
}
