import { createServer } from "node:http";

/**
 * A process that takes whatever telemetry is sent to it, and keeps none: `POST` any path, `GET` how many bytes each path
 * was sent.
 */
const received: Record<string, number> = {};

createServer((incoming, outgoing) => {
  const { method, url = "" } = incoming;
  incoming.on("data", (chunk: Buffer) => {
    received[url] = (received[url] ?? 0) + chunk.byteLength;
  });
  incoming.on("end", () => outgoing.end(method === "GET" ? JSON.stringify(received) : ""));
}).listen(Number(process.argv[2]), "localhost");
