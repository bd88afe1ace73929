import { createServer } from "node:http";
import { FILES } from "./terms.ts";

/** The web application: files from memory. Argument: port. */
const [port = ""] = process.argv.slice(2);

const files = new Map<string, Buffer>(
  Object.values(FILES).map(({ path, bytes, expect }) => [path, Buffer.from(expect.padEnd(bytes, "abcdefghijklmno\n"))]),
);

createServer((incoming, outgoing) => {
  const file = files.get(incoming.url ?? "");
  outgoing.setHeader("Content-Type", "text/plain; charset=utf-8");
  outgoing.setHeader("ETag", '"4711"');
  outgoing.setHeader("Cache-Control", "private, no-cache");
  if (file !== undefined) outgoing.end(file);
  else outgoing.writeHead(incoming.url === "/" ? 200 : 404).end();
}).listen(Number(port), "localhost");
