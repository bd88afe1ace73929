import { createHash } from "node:crypto";
import { type IncomingMessage, request } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket } from "undici";

/** RFC 6455 section 1.3. */
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const TEXT = 1;
const CLOSE = 8;

/** What a frame is, of those that tests need. */
interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** A frame of a server: whole, and with no mask. */
export function frameOf(opcode: number, payload: Uint8Array): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = length < 126 ? length : length < 65_536 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, payload]);
}

/** The code of a frame that closes; 1005 where it has none. */
function codeOf({ payload }: Frame): number {
  return payload.length < 2 ? 1005 : payload.readUInt16BE(0);
}

/** Takes whole frames off the beginning, also those of clients. @returns what is left */
function takeFrames(bytes: Buffer, each: (frame: Frame) => void): Buffer {
  let rest = bytes;
  for (;;) {
    const [first = 0, second = 0] = rest;
    const short = second & 0x7f;
    const extended = short === 127 ? 8 : short === 126 ? 2 : 0;
    const masked = (second & 0x80) !== 0 ? 4 : 0;
    const begin = 2 + extended + masked;
    if (rest.length < begin) return rest;
    const length = short === 127 ? Number(rest.readBigUInt64BE(2)) : short === 126 ? rest.readUInt16BE(2) : short;
    if (rest.length < begin + length) return rest;
    const payload = rest.subarray(begin, begin + length);
    const mask = rest.subarray(begin - masked, begin);
    const shown = masked > 0 ? payload.map((byte, at) => byte ^ (mask[at % 4] ?? 0)) : payload;
    each({ opcode: first & 0x0f, payload: Buffer.from(shown) });
    rest = rest.subarray(begin + length);
  }
}

/** What an echo server saw. */
export interface EchoSocket {
  /** Of the frame by which the client closed. */
  closedWith: number | undefined;
  isGone: boolean;
}

/**
 * Answers with a WebSocket that sends every message back, with the first subprotocol that was asked for. `close 4002` closes with
 * that code, and `half` begins a frame that never ends.
 */
export function echoSocket({ headers }: IncomingMessage, socket: Duplex, head: Buffer): EchoSocket {
  const seen: EchoSocket = { closedWith: undefined, isGone: false };
  const accept = createHash("sha1").update(`${headers["sec-websocket-key"]}${GUID}`).digest("base64");
  const protocol = headers["sec-websocket-protocol"]?.split(",", 1)[0];
  socket.write(
    [
      "HTTP/1.1 101 Switching Protocols",
      ...["Upgrade: websocket", "Connection: Upgrade", `Sec-WebSocket-Accept: ${accept}`, "X-Upstream: yes"],
      ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
      "\r\n",
    ].join("\r\n"),
  );
  const answer = (frame: Frame) => {
    const text = frame.opcode === TEXT ? frame.payload.toString() : "";
    const [, code] = /^close (\d+)$/.exec(text) ?? [];
    if (frame.opcode === CLOSE) {
      seen.closedWith ??= codeOf(frame);
      socket.end(frameOf(CLOSE, frame.payload));
    } else if (code !== undefined) {
      const payload = Buffer.from("  by the server");
      payload.writeUInt16BE(Number(code), 0);
      socket.write(frameOf(CLOSE, payload));
    } else if (text === "half") socket.write(frameOf(TEXT, Buffer.alloc(1_000, "x")).subarray(0, 500));
    else if (frame.opcode < CLOSE) socket.write(frameOf(frame.opcode, frame.payload));
  };
  let rest = head;
  socket.on("data", (bytes: Buffer) => {
    rest = takeFrames(Buffer.concat([rest, bytes]), answer);
  });
  socket.on("end", () => socket.end());
  socket.on("error", () => socket.destroy());
  socket.on("close", () => {
    seen.isGone = true;
  });
  return seen;
}

/** A WebSocket that is open, as a client has it. */
export interface OpenedSocket {
  readonly protocol: string;
  send(message: string | Uint8Array): void;
  /** The next message. Rejects when the socket closes before one comes. */
  next(): Promise<string | Uint8Array>;
  close(code: number, reason: string): void;
  readonly closed: Promise<{ readonly code: number; readonly reason: string }>;
}

export interface SocketOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly protocols?: readonly string[];
}

/** Rejects when the server refuses; `handshake` tells how. */
export async function openSocket(url: string, { headers = {}, protocols = [] }: SocketOptions): Promise<OpenedSocket> {
  const socket = new WebSocket(url.replace(/^http/, "ws"), { headers: { ...headers }, protocols: [...protocols] });
  socket.binaryType = "arraybuffer";
  const arrived: (string | Uint8Array)[] = [];
  const waiting: PromiseWithResolvers<string | Uint8Array>[] = [];
  const closed = Promise.withResolvers<{ code: number; reason: string }>();
  socket.addEventListener("message", ({ data }) => {
    const message = typeof data === "string" ? data : new Uint8Array(data as ArrayBuffer);
    const first = waiting.shift();
    if (first === undefined) arrived.push(message);
    else first.resolve(message);
  });
  socket.addEventListener("close", ({ code, reason }) => {
    for (const { reject } of waiting) reject(new Error(`the socket closed with ${code}`));
    closed.resolve({ code, reason });
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("error", ({ error, message }) => reject(error ?? new Error(message)));
  });
  return {
    protocol: socket.protocol,
    send: (message) => socket.send(message),
    next: () => {
      const message = arrived.shift();
      if (message !== undefined) return Promise.resolve(message);
      const next = Promise.withResolvers<string | Uint8Array>();
      waiting.push(next);
      return next.promise;
    },
    close: (code, reason) => socket.close(code, reason),
    closed: closed.promise,
  };
}

export const HANDSHAKE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
} as const;

/** How a server answers who asks for a WebSocket; with 101 the connection is closed again. */
export function handshake(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<{ readonly status: number; readonly headers: IncomingMessage["headers"] }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { ...HANDSHAKE, ...headers } });
    sent.once("upgrade", (response, socket) => {
      socket.destroy();
      resolve({ status: 101, headers: response.headers });
    });
    sent.once("response", (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
    });
    sent.once("error", reject).end();
  });
}
