import { rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { deserialize, serialize } from "node:v8";
import type { Link, LinkEvents } from "./calls.ts";
import type { Keeping } from "./keeping.ts";
import type { Client, ThreadCall, ThreadMessage, ThreadRequest } from "./messages.ts";

/** Other processes of the server, as the store's thread has them. */
export interface Others {
  tell(keeping: Keeping): void;
  close(): void;
}

/**
 * Lets other processes of this server call: each message is its length, 4 bytes, and what structured clone makes of it. Whoever
 * reaches the socket may do everything: it lies in a folder of this user alone.
 *
 * @param begin called for each process; what it returns carries out a call, and never rejects
 */
export function serveOthers(path: string, begin: (client: Client) => (call: ThreadCall) => Promise<void>): Others {
  const sockets = new Map<Socket, Client>();
  // A thread that ended without a word left it.
  rmSync(path, { force: true });
  // The other side says that nothing more comes, and has its answers first.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const client: Client = { send: sender<ThreadMessage>(socket) };
    sockets.set(socket, client);
    const carryOut = begin(client);
    let running = 0;
    let isOver = false;
    const endIfDone = (): void => {
      if (isOver && running === 0) socket.end();
    };
    const receive = async (call: ThreadCall): Promise<void> => {
      running += 1;
      await carryOut(call);
      running -= 1;
      // What was answered is posted in a microtask.
      if (isOver) setImmediate(endIfDone);
    };
    readMessages<ThreadRequest>(socket, (request) => {
      if ("calls" in request) for (const call of request.calls) void receive(call);
      else {
        isOver = true;
        setImmediate(endIfDone);
      }
    });
    socket.on("error", ignore);
    socket.on("close", () => sockets.delete(socket));
    socket.on("end", () => socket.end());
  });
  server.listen(path);
  return {
    tell: (keeping) => {
      for (const { send } of sockets.values()) send(keeping);
    },
    close: () => {
      server.close();
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** The way to the store's thread of another process. */
export function socketLink(path: string, { received, ended }: LinkEvents): Link {
  const socket = connect(path);
  let cause: unknown = new Error("the connection to the store's thread has ended");
  socket.on("error", (error) => {
    cause = error;
  });
  socket.on("close", () => ended(cause));
  readMessages(socket, received);
  return { send: sender<ThreadRequest>(socket) };
}

const HEAD = 4;

function sender<Message>(socket: Socket): (message: Message) => void {
  return (message) => {
    if (socket.destroyed) return;
    const content = serialize(message);
    const head = Buffer.allocUnsafe(HEAD);
    head.writeUInt32LE(content.length);
    socket.cork();
    socket.write(head);
    socket.write(content);
    socket.uncork();
  };
}

function readMessages<Message>(socket: Socket, receive: (message: Message) => void): void {
  let pieces: Buffer[] = [];
  let held = 0;
  let needed = HEAD;
  const whole = (): Buffer => {
    const all = pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, held);
    pieces = [all];
    return all;
  };
  socket.on("data", (chunk: Buffer) => {
    pieces.push(chunk);
    held += chunk.length;
    // Pieces of a long message are put together once it is whole.
    if (held < needed) return;
    let all = whole();
    for (;;) {
      needed = all.length < HEAD ? HEAD : HEAD + all.readUInt32LE(0);
      if (all.length < needed || all.length < HEAD) break;
      receive(deserialize(all.subarray(HEAD, needed)) as Message);
      all = all.subarray(needed);
    }
    pieces = all.length === 0 ? [] : [all];
    held = all.length;
  });
}

function ignore(): void {
  // The connection closes, which is heard.
}
