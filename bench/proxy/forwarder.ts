import { serve } from "@hono/node-server";
import { Hono } from "hono";

/** The peer: a Hono server that passes on what it gets and pipes what comes back, and does nothing else. Arguments: port, upstream. */
const [port = "", upstream = ""] = process.argv.slice(2);

const app = new Hono();
app.get("/", (context) => context.text("ready"));
app.post("/mcp", ({ req: { raw } }) => {
  const headers = new Headers(raw.headers);
  for (const name of ["host", "connection", "content-length"]) headers.delete(name);
  // Node wants to be told that nobody waits for the body's end before the answer begins.
  return fetch(upstream, { method: "POST", headers, body: raw.body, duplex: "half" } as RequestInit);
});

serve({ fetch: app.fetch, port: Number(port), hostname: "localhost" });
