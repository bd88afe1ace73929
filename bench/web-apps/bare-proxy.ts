import { createServer } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** The peer: `node:http` and `fetch`, which passes on what it gets and pipes what comes back. Arguments: port, upstream. */
const [port = "", upstream = ""] = process.argv.slice(2);

const server = createServer(async (incoming, outgoing) => {
  const { method = "GET", url = "/" } = incoming;
  const headers = new Headers(incoming.headers as Record<string, string>);
  for (const name of ["host", "connection", "content-length"]) headers.delete(name);
  const body = method === "GET" || method === "HEAD" ? null : (Readable.toWeb(incoming) as ReadableStream);
  // Node wants to be told that nobody waits for the body's end before the answer begins.
  const init = { method, headers, body, redirect: "manual", duplex: "half" } as RequestInit;
  const answer = await fetch(upstream + url, init);
  outgoing.writeHead(answer.status, [...answer.headers].flat());
  if (answer.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(answer.body as never), outgoing);
});
server.listen(Number(port), "localhost");
