import { rmSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import type { CallPlace } from "../../../lib/upstream/waiting/remote/call-place.ts";
import type { GivenTo } from "../http/listen.ts";

/** Carries out an order to a call that waits here. */
export type Orders = (call: string, order: string, signal: AbortSignal) => ReturnType<CallPlace>;

/**
 * What workers hand one another: requests of a session whose connections another one holds, and orders to calls that wait there.
 * By sockets in a folder of this user alone: whoever reaches them is believed.
 */
export interface Neighbours {
  /** Begins to take what others hand over. */
  listen(serve: RequestListener, orders: Orders): Promise<void>;
  /** Has another worker answer a request. */
  handOver(worker: number, incoming: IncomingMessage, outgoing: ServerResponse, to: GivenTo): void;
  /** Gives an order to a call that waits at another worker. Rejects with `NeighbourGone` when that is not there. */
  order(worker: number, call: string, order: string, signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
  close(): void;
}

/** The other worker has ended, and what it held with it. */
export class NeighbourGone extends Error {
  override readonly name = "NeighbourGone";
}

const ORDER = "x-countersign-call";
const SENDER = "x-countersign-remote-address";
/** Of one connection (RFC 9110 section 7.6.1); and what a neighbour alone may say. */
const NOT_HANDED_ON: ReadonlySet<string> = new Set([
  ..."connection keep-alive proxy-connection transfer-encoding upgrade expect".split(" "),
  ORDER,
  SENDER,
]);

/** Who sends a request that was handed over. */
export function handedOverFrom({ headers }: Pick<IncomingMessage, "headers">): string | undefined {
  const sender = headers[SENDER];
  return typeof sender === "string" && sender !== "" ? sender : undefined;
}

/** @param number of this worker */
export function neighboursOf(folder: string, number: number): Neighbours {
  const socketOf = (worker: number) => join(folder, `worker-${worker}`);
  // The worker that is asked has limits of its own for what it does; here nothing ends before that says so.
  const server = createServer({
    requestTimeout: 0,
    headersTimeout: 0,
    requireHostHeader: false,
    // Twice what the listener lets through: a neighbour adds to that.
    maxHeaderSize: 32 * 1024,
  });
  return {
    listen: async (serve, orders) => {
      server.on("request", (incoming, outgoing) => {
        const call = incoming.headers[ORDER];
        if (typeof call === "string") void carryOut(call, orders, incoming, outgoing);
        else serve(incoming, outgoing);
      });
      // Of the worker that had the number before.
      rmSync(socketOf(number), { force: true });
      await new Promise<void>((resolve, reject) => {
        server.once("error", reject);
        server.listen(socketOf(number), resolve);
      });
    },
    handOver: (worker, incoming, outgoing, { remoteAddress, refuse, streams }) => {
      const handed = request({
        socketPath: socketOf(worker),
        agent: false,
        method: incoming.method ?? "GET",
        path: incoming.url ?? "/",
        // A connection that the other side closes by itself would lose an answer to what it does not read.
        headers: [...handedOn(incoming.rawHeaders), SENDER, remoteAddress ?? "", "connection", "keep-alive"],
      });
      outgoing.once("close", () => handed.destroy());
      handed.once("error", (error: NodeJS.ErrnoException) => {
        if (outgoing.headersSent) outgoing.destroy();
        else refuse(error.code ?? error.message);
      });
      handed.once("response", (answer) => {
        if (answer.headers["content-type"]?.startsWith("text/event-stream")) streams();
        outgoing.writeHead(answer.statusCode ?? 502, handedOn(answer.rawHeaders) as string[]);
        // An event stream begins before its first event.
        outgoing.flushHeaders();
        pipeline(answer, outgoing).catch(() => outgoing.destroy());
      });
      incoming.pipe(handed);
    },
    order: (worker, call, order, signal) =>
      new Promise((resolve, reject) => {
        const headers = { [ORDER]: call };
        const asked = request({ socketPath: socketOf(worker), agent: false, method: "POST", headers, signal });
        asked.once("error", (error: NodeJS.ErrnoException) => {
          const isGone = error.code === "ECONNREFUSED" || error.code === "ENOENT";
          reject(isGone ? new NeighbourGone() : error);
        });
        asked.once("response", (answer) => resolve(Readable.toWeb(answer) as ReadableStream<Uint8Array>));
        asked.end(order);
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function carryOut(
  call: string,
  orders: Orders,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const left = new AbortController();
  outgoing.once("close", () => left.abort());
  try {
    const order = Buffer.concat(await incoming.toArray()).toString("utf8");
    const events = orders(call, order, left.signal) as NodeReadableStream;
    outgoing.writeHead(200);
    await pipeline(Readable.fromWeb(events), outgoing);
  } catch {
    // Whoever ordered hears that the answer broke off.
    outgoing.destroy();
  }
}

/** Names and values in turn. */
function handedOn(raw: readonly string[]): readonly string[] {
  return raw.filter((_, at) => !NOT_HANDED_ON.has((raw[at - (at % 2)] ?? "").toLowerCase()));
}
