import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { bareWorkerd } from "../runtimes/bare-workerd.ts";
import type { RunningRegions } from "../support/runtime.ts";

const APP = `  - type: proxy
    name: site
    routePatterns: [/site]
    upstream: "{{ env.SITE_URL }}"
    policies:
      - location: /
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
`;

let upstream: Server;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let regions: RunningRegions;

beforeAll(async () => {
  upstream = createServer((incoming, outgoing) => answer(incoming, outgoing)).listen(0, "127.0.0.1");
  await once(upstream, "listening");
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  regions = await bareWorkerd.start({
    configuration: behaviourConfiguration + APP,
    variables: { UPSTREAM_URL: origin, SITE_URL: origin },
    alone: true,
  });
});
afterAll(async () => {
  await regions.stop();
  upstream.closeAllConnections();
  upstream.close();
});

test("an answer of a known length keeps it", async () => {
  answer = (_, outgoing) => outgoing.writeHead(200, { "Content-Length": "100000" }).end(Buffer.alloc(100_000));
  const { headers, body } = await answered();
  expect([headers["content-length"], headers["transfer-encoding"]]).toEqual(["100000", undefined]);
  expect((await body).length).toBe(100_000);
});

test("an answer that is encoded, and one of no length, comes whole", async () => {
  const bytes = gzipSync("hello");
  answer = (_, outgoing) =>
    outgoing.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": String(bytes.length) }).end(bytes);
  expect(String(gunzipSync(await (await answered({ "Accept-Encoding": "gzip" })).body))).toBe("hello");
  answer = (_, outgoing) => outgoing.write("hel", () => outgoing.end("lo"));
  expect(String(await (await answered()).body)).toBe("hello");
});

test("an answer of a known length that breaks off never looks whole", async () => {
  answer = (_, outgoing) => {
    outgoing.writeHead(200, { "Content-Length": "100" }).write("half", () => outgoing.destroy());
  };
  await expect(answered().then(({ body }) => body)).rejects.toThrow();
});

async function answered(headers: Record<string, string> = {}) {
  const asked = request(`${regions.us.url}/site`, { headers }).end();
  const [received] = (await once(asked, "response")) as [IncomingMessage];
  return { headers: received.headers, body: buffer(received) };
}
