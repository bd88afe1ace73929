import { utf8 } from "../kernel/encoding.ts";
import type { JsonObject } from "../kernel/json.ts";
import { lazy } from "../kernel/lazy.ts";
import { inOrder, openMessages } from "./open-message.ts";
import type { OpenAnswer } from "./outlet.ts";
import { messageText } from "./outlet.ts";

/** An answer that goes on: server-sent events (HTML Standard §9.2), one JSON-RPC message each. */
export interface EventStream {
  readonly response: Response;
  /** Aborts when nobody listens any more: the client left, does not read, or the stream was closed. */
  readonly gone: AbortSignal;
  send(message: JsonObject): void;
  /** A message that is JSON already. @param id of the event */
  sendText(json: string, id?: string): void;
  /** A message whose bytes come one after another. Until it is committed or withdrawn everything else waits behind it. */
  openMessage(id?: string): OpenAnswer;
  /** An event of another type than `message`. */
  sendEvent(type: string, data: string): void;
  /** Ends the stream behind what was sent; an open message is withdrawn. */
  close(): void;
}

export interface EventStreamOptions {
  /** Milliseconds between two comments, which keep proxies from cutting what stays silent; absent: none. */
  readonly keepAlive?: number | undefined;
  /** Bytes that may wait for a client that does not read; what exceeds them ends the stream. */
  readonly limit: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The event that the stream begins with; absent: a comment. */
  readonly first?: string;
}

/** Proxies that collect answers before they pass them on are asked not to. */
export const UNBUFFERED = { "x-accel-buffering": "no" } as const;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  ...UNBUFFERED,
};

/**
 * Why a stream's signal aborts. One for all: an error made for each would, by the functions of its stack, keep alive what they
 * know, as long as somebody knows the signal. Made on first use: with it, workerd takes 30 ms longer to start.
 */
export const streamOver = lazy(() => new DOMException("Nobody reads the answer any more.", "AbortError"));

const COMMENT = utf8(": keep-alive\n\n");

/** Ends the stream when the agent leaves; it may have left before there was one. */
export function closeWith(signal: AbortSignal, { close }: Pick<EventStream, "close">): void {
  if (signal.aborted) close();
  else signal.addEventListener("abort", close, { once: true });
}

/** The first byte goes out at once: some proxies hold headers back until there is one. */
export function createEventStream({ keepAlive, limit, headers, first }: EventStreamOptions): EventStream {
  const gone = new AbortController();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const end = (): boolean => {
    if (gone.signal.aborted) return false;
    clearInterval(timer);
    gone.abort(streamOver());
    messages.leave();
    return true;
  };
  // What waits beyond the limit is given up with the stream; the client may open another.
  const stalled = (): void => {
    if (!end()) return;
    controller?.error(new Error("The client does not read its stream."));
    controller = undefined;
  };
  const grown = (): void => {
    if ((controller?.desiredSize ?? 0) < order.held()) stalled();
  };
  const order = inOrder((bytes) => {
    if (!gone.signal.aborted) controller?.enqueue(bytes);
  });
  const unread = () => limit - (controller?.desiredSize ?? 0);
  const messages = openMessages({ order, gone: gone.signal, unread, grown, stalled });
  const write = (bytes: Uint8Array): void => {
    if (gone.signal.aborted) return;
    order.whole(bytes);
    grown();
  };
  const close = (): void => {
    messages.withdrawAll();
    if (!end()) return;
    controller?.close();
    // Somebody may know the stream for long after its end; what was read of it is held by the controller.
    controller = undefined;
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start: (started) => {
        controller = started;
        started.enqueue(first === undefined ? COMMENT : utf8(first));
      },
      pull: () => messages.read(),
      cancel: () => void end(),
    },
    new ByteLengthQueuingStrategy({ highWaterMark: limit }),
  );
  if (keepAlive !== undefined) {
    timer = setInterval(() => {
      // One comment that waits is enough, and behind an open message none is needed.
      if (unread() === 0 && !order.isBusy()) write(COMMENT);
    }, keepAlive);
  }
  const sendLine = (json: string, id?: string): void =>
    write(utf8(`${id === undefined ? "" : `id: ${id}\n`}event: message\ndata: ${json}\n\n`));
  return {
    response: new Response(body, { headers: { ...HEADERS, ...headers } }),
    gone: gone.signal,
    send: (message) => sendLine(messageText(message)),
    // A line break would end the event; in JSON it is white space.
    sendText: (json, id) => sendLine(json.replace(/[\r\n]/g, " "), id),
    openMessage: messages.open,
    sendEvent: (type, data) => write(utf8(`event: ${type}\ndata: ${data}\n\n`)),
    close,
  };
}
