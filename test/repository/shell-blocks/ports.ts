import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Of ports that systems do not give out by themselves: they begin at 32768 (Linux) or 49152 (others). */
const [FIRST, END] = [20_000, 32_000];

/** A free loopback port with four free ones right above it, as the quickstart needs them. Nobody comes upon them by chance until they are used. */
export async function freeNeighbours(): Promise<number> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const port = randomInt(FIRST, END);
    const free = await Promise.all([0, 1, 2, 3, 4].map((offset) => isFree(port + offset)));
    if (!free.includes(false)) return port;
  }
  throw new Error("There are no five free ports side by side.");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "localhost", () => server.close(() => resolve(true)));
  });
}
