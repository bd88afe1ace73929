import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { NO_UPSTREAM } from "../behaviour/fixture.ts";
import { signInConfiguration } from "../behaviour/sign-in-configuration.ts";
import { node } from "../runtimes/node.ts";
import type { RunningRegions } from "../support/runtime.ts";

const APP = `  - type: proxy
    name: shop
    routePatterns: [shop.localhost]
    upstream: "{{ env.SITE_URL }}"
    headers: [{ name: X-User, value: "{{ corp.email }}" }]
    policies:
      - location: /
        authentication: { allowUnauthenticated: true }
        authorization: { allowAll: true }
session:
  cookie:
    name: __Host-corp
`;

/** Requests to a web app as bytes on a socket: what two servers could read differently reaches no upstream, or is framed anew. */
describe("a request for a web app, byte by byte", () => {
  const arrived: { readonly request: IncomingMessage; readonly body: string }[] = [];
  const upstream = createServer(async (request, response) => {
    arrived.push({ request, body: await text(request) });
    response.end("the upstream's answer");
  });
  let regions: RunningRegions;
  let host: string;
  let port: number;

  beforeAll(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const variables = { UPSTREAM_URL: NO_UPSTREAM, IDP_URL: NO_UPSTREAM, IDP_CLIENT: "x", IDP_SECRET: "x" };
    const { port: at } = upstream.address() as AddressInfo;
    regions = await node.start({
      configuration: signInConfiguration + APP,
      variables: { ...variables, SITE_URL: `http://127.0.0.1:${at}` },
      alone: true,
    });
    port = Number(new URL(regions.us.url).port);
    host = `shop.localhost:${port}`;
  });
  afterAll(async () => {
    await regions.stop();
    upstream.closeAllConnections();
    upstream.close();
  });
  beforeEach(() => {
    arrived.length = 0;
  });

  /** The status, of lines that end as HTTP's do unless they say otherwise; `HOST` stands for the app's. */
  const send = async (lines: readonly string[], body = ""): Promise<number> => {
    const head = lines.map((line) => `${line.replaceAll("HOST", host)}${line.endsWith("\n") ? "" : "\r\n"}`).join("");
    const socket = connect(port, "127.0.0.1");
    socket.write(`${head}Connection: close\r\n\r\n${body}`, "latin1");
    return Number((await text(socket)).slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  };

  test("fields that come several times reach the upstream with all that is the client's own, as single ones do", async () => {
    const once = ["GET / HTTP/1.1", "Host: HOST", "Accept: text/html", "Cookie: a=1; __Host-corp=x", "X-User: evil"];
    expect(await send(once)).toBe(200);
    const again = [
      "Accept: text/plain",
      "Cookie: b=2; __Host-corp=y",
      "X_User: evil",
      "X-A: 1",
      "x-a: 2",
      "User-Agent: one",
    ];
    expect(await send([...once, ...again, "User-Agent: two", "Connection: x-b", "X-B: gone"])).toBe(200);
    const [single, several] = arrived.map(({ request }) => request.headers);
    expect(single).toMatchObject({ accept: "text/html", cookie: "a=1" });
    expect(several).toMatchObject({ accept: "text/html, text/plain", cookie: "a=1; b=2", "x-a": "1, 2" });
    expect(several).toMatchObject({ "user-agent": "one, two" });
    for (const headers of [single, several]) {
      for (const name of ["x-user", "x_user", "x-b"]) expect(headers).not.toHaveProperty(name);
    }
  });

  test.each<[what: string, lines: readonly string[], body?: string]>([
    [
      "Content-Length and Transfer-Encoding",
      ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 4", "Transfer-Encoding: chunked"],
      "0\r\n\r\n",
    ],
    ["Content-Length twice", ["POST / HTTP/1.1", "Host: HOST", "Content-Length: 1", "Content-Length: 2"], "ab"],
    ["chunked twice", ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked, chunked"], "0\r\n\r\n"],
    ["chunked not last", ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked, identity"], "0\r\n\r\n"],
    ["a bare line feed", ["GET / HTTP/1.1\n", "Host: HOST"]],
    ["a bare line feed in the headers", ["GET / HTTP/1.1", "Host: HOST", "X-A: b\n", "X-User: evil"]],
    ["a bare carriage return in a value", ["GET / HTTP/1.1", "Host: HOST", "X-A: b\rX-User: evil"]],
    ["NUL in a value", ["GET / HTTP/1.1", "Host: HOST", "X-A: a\0b"]],
    ["a folded line", ["GET / HTTP/1.1", "Host: HOST", "X-A: b", " X-User: evil"]],
    ["a space before the colon", ["GET / HTTP/1.1", "Host: HOST", "X-User : evil"]],
    [
      "a line feed in a chunk's extension",
      ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked"],
      "1;\nx\r\n0\r\n\r\n",
    ],
    ["two hosts", ["GET / HTTP/1.1", "Host: HOST", "Host: evil"]],
    ["no host", ["GET / HTTP/1.1"]],
    ["no host, HTTP/1.0", ["GET / HTTP/1.0"]],
    ["a name before the host", ["GET / HTTP/1.1", "Host: evil@HOST"]],
    ["the host as a name", ["GET / HTTP/1.1", "Host: HOST@evil"]],
    ["a host with a path", ["GET / HTTP/1.1", "Host: HOST/x"]],
    ["an encoded host", ["GET / HTTP/1.1", "Host: %73HOST"]],
    ["a target of another host", ["GET http://evil/ HTTP/1.1", "Host: HOST"]],
    ["a target with a name", ["GET http://a@HOST/ HTTP/1.1", "Host: HOST"]],
    ["a target of another scheme", ["GET ftp://HOST/ HTTP/1.1", "Host: HOST"]],
    ["Connection that names a header of ours", ["GET / HTTP/1.1", "Host: HOST", "Connection: x_user"]],
    ["content of a GET", ["GET / HTTP/1.1", "Host: HOST", "Content-Length: 3"], "abc"],
  ])("58. is refused with %s", async (_, lines, body) => {
    expect(await send(lines, body)).toBe(400);
    expect(arrived).toEqual([]);
  });

  test.each<[what: string, lines: readonly string[], body?: string]>([
    ["TRACE, whose answer shows what only the upstream is told", ["TRACE / HTTP/1.1", "Host: HOST"]],
    ["another coding than chunked", ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: gzip, chunked"], "0\r\n\r\n"],
  ])("59. is not carried with %s", async (_, lines, body) => {
    expect(await send(lines, body)).toBe(501);
    expect(arrived).toEqual([]);
  });

  test("a host with a dot at its end is not the app's", async () => {
    expect(await send(["GET /x HTTP/1.1", "Host: shop.localhost."])).toBe(404);
    expect(arrived).toEqual([]);
  });

  test("59. sessions of people and of the Console stay here, whatever their cookies are called", async () => {
    const cookies = "Cookie: __Host-corp=secret; __Host-corp-console=secret; theirs=1";
    expect(await send(["GET / HTTP/1.1", "Host: HOST", cookies])).toBe(200);
    expect(arrived[0]?.request.headers.cookie).toBe("theirs=1");
  });

  test("extensions of chunks and trailers stay here, and what looks like framing is a header like others", async () => {
    const lines = ["POST / HTTP/1.1", "Host: HOST", "Transfer-Encoding: chunked", "Content_Length: 99", "X_User: evil"];
    expect(await send(lines, "1;a=b\r\nx\r\n0\r\nX-User: evil\r\n\r\n")).toBe(200);
    const [{ request, body } = expect.fail("nothing arrived")] = arrived;
    expect([body, request.rawTrailers]).toEqual(["x", []]);
    expect(JSON.stringify(request.rawHeaders)).not.toMatch(/evil|content.length/i);
  });
});
