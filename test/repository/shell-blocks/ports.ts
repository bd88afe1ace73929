import { createServer } from "node:net";

/** A free loopback port with two free ones right above it. */
export async function freeNeighbours(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = await listenOnce(0);
    if (port === undefined || (await listenOnce(port + 1)) === undefined) continue;
    if ((await listenOnce(port + 2)) !== undefined) return port;
  }
  throw new Error("There are no three free ports side by side.");
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "localhost", () => {
      const address = server.address();
      server.close(() => resolve(address === null || typeof address === "string" ? undefined : address.port));
    });
  });
}
