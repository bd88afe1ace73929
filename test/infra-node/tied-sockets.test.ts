import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tieSockets } from "../../infra/node/http/tied-sockets.ts";
import { closeFrame } from "../../lib/reverse-proxy/socket-frames.ts";
import { frameOf } from "../support/web-socket.ts";

/** Both ends of a connection. */
interface Pair {
  readonly ours: Socket;
  readonly theirs: Socket;
}

let client: Pair;
let upstream: Pair;
const server = createServer({ allowHalfOpen: true });

async function pair(): Promise<Pair> {
  const accepted = once(server, "connection");
  const theirs = connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true });
  const [ours] = (await accepted) as [Socket];
  return { ours, theirs };
}

beforeEach(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  [client, upstream] = [await pair(), await pair()];
});
afterEach(async () => {
  for (const { ours, theirs } of [client, upstream]) {
    ours.destroy();
    theirs.destroy();
  }
  await new Promise((resolve) => server.close(resolve));
});

const TEXT = frameOf(1, Buffer.from("twelve bytes"));
const CLOSED = closeFrame(4401, "over");

test("a frame that is under way when it ends is sent to its end first", async () => {
  const tied = tieSockets(client.ours, upstream.ours);
  upstream.theirs.write(Buffer.concat([TEXT, TEXT.subarray(0, 5)]));
  const arrived = await bytesOf(client.theirs, TEXT.length + 5);
  tied.end(4401, "over");
  upstream.theirs.write(Buffer.concat([TEXT.subarray(5), TEXT]));
  upstream.theirs.on("end", () => upstream.theirs.end()).resume();
  client.theirs.on("end", () => client.theirs.end());
  const rest = await buffer(client.theirs);
  expect(Buffer.concat([arrived, rest])).toEqual(Buffer.concat([TEXT, TEXT, CLOSED]));
  await tied.closed;
});

test("one whose end does not come is cut off", async () => {
  const tied = tieSockets(client.ours, upstream.ours, 20);
  upstream.theirs.write(TEXT.subarray(0, 5));
  await bytesOf(client.theirs, 5);
  client.theirs.on("error", () => undefined).resume();
  upstream.theirs.on("error", () => undefined).resume();
  tied.end(4401, "over");
  await tied.closed;
  expect([client.ours.destroyed, upstream.ours.destroyed]).toEqual([true, true]);
});

test("whoever has closed already is sent no second frame", async () => {
  const tied = tieSockets(client.ours, upstream.ours);
  const own = closeFrame(1000, "");
  upstream.theirs.write(own);
  const arrived = await bytesOf(client.theirs, own.length);
  tied.end(4401, "over");
  upstream.theirs.on("end", () => upstream.theirs.end()).resume();
  upstream.theirs.end();
  client.theirs.on("end", () => client.theirs.end());
  expect(Buffer.concat([arrived, await buffer(client.theirs)])).toEqual(Buffer.from(own));
  await tied.closed;
});

test("the upstream is told as well, with a mask, and hears nothing more of the client", async () => {
  const tied = tieSockets(client.ours, upstream.ours);
  tied.end(1001, "");
  client.theirs.end(frameOf(1, Buffer.from("late")));
  client.theirs.resume();
  upstream.theirs.on("end", () => upstream.theirs.end());
  const told = await buffer(upstream.theirs);
  expect([told[0], told[1], told.length]).toEqual([0x88, 0x82, 8]);
  await tied.closed;
});

test("no side is read faster than the other takes it", async () => {
  const tied = tieSockets(client.ours, upstream.ours);
  const piece = frameOf(2, Buffer.alloc(1024 * 1024));
  let isFull = false;
  for (let sent = 0; sent < 64 && !isFull; sent++) {
    const isTaken = upstream.theirs.write(piece);
    // Nobody reads at the client.
    if (!isTaken) isFull = await Promise.race([once(upstream.theirs, "drain").then(() => false), stuck()]);
  }
  expect(isFull).toBe(true);
  expect(client.ours.writableLength).toBeLessThan(1024 * 1024);
  client.theirs.destroy();
  upstream.theirs.on("error", () => undefined).resume();
  await tied.closed;

  /** True once what is ours waits for the client. */
  async function stuck(): Promise<boolean> {
    while (!upstream.ours.isPaused()) await new Promise((resolve) => setImmediate(resolve));
    return true;
  }
});

/** The next so many bytes. */
async function bytesOf(socket: Socket, length: number): Promise<Buffer> {
  let arrived = Buffer.alloc(0);
  while (arrived.length < length) {
    const [piece] = (await once(socket, "data")) as [Buffer];
    arrived = Buffer.concat([arrived, piece]);
  }
  socket.pause();
  return arrived;
}
