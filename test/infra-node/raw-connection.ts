import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection to a port of loopback on which these bytes are sent, each character as one byte. It breaks off silently. */
export function openConnection(port: number, bytes: string): Socket {
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => socket.destroy());
  socket.write(Buffer.from(bytes, "latin1"));
  return socket;
}

/** Everything until the server closes the connection. */
export async function allOf(socket: Socket): Promise<string> {
  let received = "";
  socket.on("data", (chunk) => {
    received += chunk.toString("latin1");
  });
  await once(socket, "close");
  return received;
}
