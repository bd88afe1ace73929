import { randomInt } from "node:crypto";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server } from "node:http";

/**
 * Ports that no system gives out by itself: one of those can be anybody's outgoing connection, or the server of a test that asked
 * for any port, by the time a server wants it.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/**
 * Holds the ports that this process was given, by their UDP twins: a twin takes no TCP port away, no other process gets it
 * meanwhile, and the system lets go of it when the process ends, however it ends.
 */
const held = new Set<Socket>();

/** A port of the loopback address that nobody listens on, and that is given to nobody else while this process lives. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LOWEST, HIGHEST);
    if ((await hold(port)) && (await isFree(port))) return port;
  }
}

/** As many of them; no two are the same. */
export async function freePorts(count: number): Promise<readonly number[]> {
  return await Promise.all(Array.from({ length: count }, freePort));
}

/** Whether nobody holds it. One that something else listens on stays held: it is not worth another try. */
async function hold(port: number): Promise<boolean> {
  const twin = createSocket("udp4").unref();
  const bound = await succeeds(once(twin.bind({ port, address: "127.0.0.1", exclusive: true }), "listening"));
  if (bound) held.add(twin);
  return bound;
}

async function isFree(port: number): Promise<boolean> {
  const server: Server = createServer().listen(port, "127.0.0.1");
  if (!(await succeeds(once(server, "listening")))) return false;
  server.close();
  await once(server, "close");
  return true;
}

/** False if the port is taken. */
async function succeeds(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}
