import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { serve } from "@hono/node-server";
import fc from "fast-check";
import { Hono } from "hono";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canonicalPath } from "../../lib/protocol/http/request-target.ts";
import { NO_UPSTREAM } from "../behaviour/fixture.ts";
import { signInConfiguration } from "../behaviour/sign-in-configuration.ts";
import { anyPath, disguisedPath } from "../protocol/paths.ts";
import { node } from "../runtimes/node.ts";
import type { RunningRegions } from "../support/runtime.ts";

/** What an upstream made of a request: the handler that got it, the path it read, decoded, and the target as it arrived. */
interface Read {
  readonly handler: string;
  readonly path: string;
  readonly target: string;
}

interface Upstream {
  readonly url: string;
  stop(): unknown;
}

const hasGo = spawnSync("go", ["version"]).status === 0;
const NAMES = ["plain", "hono", "go"];

/** All below `/open` is everybody's; of all else nothing may be reached without signing in. */
const APPS = NAMES.map(
  (name) => `  - type: proxy
    name: ${name}
    routePatterns: [${name}.localhost]
    upstream: "{{ env.${name.toUpperCase()} }}"
    policies:
      - location: /open
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
      - location: /
        authentication: { idps: [corp] }
        authorization: { allowAll: true }
`,
).join("");

const CASES = 2_000;

describe("an upstream reads the path that the policy saw, or gets nothing", () => {
  const upstreams = new Map<string, Upstream>();
  let regions: RunningRegions;

  beforeAll(async () => {
    upstreams.set("plain", await startPlain());
    upstreams.set("hono", await startHono());
    upstreams.set("go", hasGo ? await startGo() : { url: NO_UPSTREAM, stop: () => undefined });
    const variables = Object.fromEntries([...upstreams].map(([name, { url }]) => [name.toUpperCase(), url]));
    regions = await node.start({
      configuration: signInConfiguration + APPS,
      variables: { UPSTREAM_URL: NO_UPSTREAM, IDP_URL: NO_UPSTREAM, IDP_CLIENT: "x", IDP_SECRET: "x", ...variables },
      alone: true,
    });
  }, 180_000);
  afterAll(async () => {
    await regions.stop();
    for (const { stop } of upstreams.values()) await stop();
  });

  test.for(NAMES)("%s", { timeout: 300_000 }, async (name, { skip }) => {
    if (name === "go" && !hasGo) skip("`go` is not a program here, so that Go's net/http did not judge.");
    const counts = new Map<string, number>();
    const drawn = fc.oneof(
      { weight: 3, arbitrary: disguisedPath.map((path) => `/open${path.startsWith("/") ? "" : "/"}${path}`) },
      { weight: 1, arbitrary: disguisedPath },
      { weight: 1, arbitrary: anyPath },
    );
    // What breaks the request line itself is the business of the server's parser.
    const targets = drawn.filter((target) => !/[\0\r\n ]/.test(target));
    for (const target of fc.sample(targets, CASES)) {
      const { status, body } = await ask(regions.us.url, `${name}.localhost`, target);
      const outcome = status === 200 ? "carried" : String(status);
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
      if (outcome !== "carried") continue;
      const read = JSON.parse(body) as Read;
      const seen = canonicalPath(target.replace(/\?.*$/s, ""));
      expect([target, read.target.replace(/\?.*$/s, "")]).toEqual([target, seen]);
      expect([target, read.path]).toEqual([target, decodeURIComponent(seen as string)]);
      expect([target, read.handler]).toEqual([target, "open"]);
    }
    // Otherwise the cases say nothing.
    for (const outcome of ["carried", "400", "401"])
      expect([outcome, (counts.get(outcome) ?? 0) > 20]).toEqual([outcome, true]);
  });
});

/** A request as it is written. */
async function ask(url: string, host: string, target: string): Promise<{ status: number; body: string }> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: close\r\n\r\n`, "latin1");
  const answer = await text(socket);
  const [head = "", body = ""] = answer.split(/\r\n\r\n(.*)/s);
  const isChunked = /^transfer-encoding: chunked/im.test(head);
  return { status: Number(head.slice(9, 12)), body: isChunked ? (/\{.*\}/s.exec(body)?.[0] ?? "") : body };
}

async function startPlain(): Promise<Upstream> {
  const server = createServer((request, response) => {
    const { url: target = "" } = request;
    // As an application of Node mostly reads it.
    const path = decodeURIComponent(new URL(target, "http://upstream").pathname);
    response.end(JSON.stringify({ handler: /^\/open(?:\/|$)/.test(path) ? "open" : "other", path, target }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: urlOf(server.address()), stop: () => server.close() };
}

async function startHono(): Promise<Upstream> {
  const app = new Hono<{ Bindings: { incoming: { url: string } } }>();
  for (const [pattern, handler] of [
    ["/open/*", "open"],
    ["*", "other"],
  ] as const) {
    app.all(pattern, (c) =>
      c.json({ handler, path: decodeURIComponent(new URL(c.req.url).pathname), target: c.env.incoming.url }),
    );
  }
  return new Promise((resolve) => {
    const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, (address) =>
      resolve({ url: urlOf(address), stop: () => server.close() }),
    );
  });
}

async function startGo(): Promise<Upstream> {
  const folder = await mkdtemp(join(tmpdir(), "countersign-go-"));
  const program = join(folder, "upstream");
  const built = spawnSync("go", ["build", "-o", program, join(import.meta.dirname, "go/upstream.go")], {
    encoding: "utf8",
  });
  if (built.status !== 0) throw new Error(built.stderr);
  const child: ChildProcess = spawn(program, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const address = await new Promise<string>((resolve, reject) => {
    lines.once("line", resolve);
    child.once("exit", (code) => reject(new Error(`the upstream ended with ${code}`)));
  });
  return {
    url: `http://${address}`,
    stop: async () => {
      child.kill();
      await rm(folder, { recursive: true });
    },
  };
}

function urlOf(address: AddressInfo | string | null): string {
  return `http://127.0.0.1:${(address as AddressInfo).port}`;
}
