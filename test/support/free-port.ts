import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Ports that no system gives out by itself: one of those can be anybody's outgoing connection by the time a server wants it. They
 * are drawn, so that runs beside each other seldom want the same.
 */
const LOWEST = 20_000;
const HIGHEST = 32_000;

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}

/** Ports of the loopback address that nobody listens on; no two are the same. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listening));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(closed));
  return ports;
}

async function listening(): Promise<Server> {
  for (;;) {
    const server = createServer().listen(randomInt(LOWEST, HIGHEST), "127.0.0.1");
    try {
      await once(server, "listening");
      return server;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    }
  }
}

async function closed(server: Server): Promise<void> {
  server.close();
  await once(server, "close");
}
