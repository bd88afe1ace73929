import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServer, listen } from "../../infra/node/http/listen.ts";
import { type BothTransports, bothTransports, MCP_PATHS } from "../gateway/inbound/both-transports.ts";
import { listenerOf } from "../infra-node/listener.ts";
import { LISTENER } from "../support/configuration.ts";
import { freePort } from "../support/free-port.ts";

const METHODS = ["GET", "POST", "DELETE", "PUT"] as const;
const EACH = MCP_PATHS.flatMap(({ path }) => METHODS.map((method) => [method, path] as const));

let it: BothTransports;
let http: HttpServer;
let port: number;

beforeAll(async () => {
  it = await bothTransports();
  port = await freePort();
  // Everything that Node makes of a request, before the product in this process.
  const application: Parameters<typeof listenerOf>[0] = (incoming) => {
    const { pathname, search } = new URL(incoming.url);
    return it.send(pathname + search, { method: incoming.method, headers: incoming.headers });
  };
  http = await listen({ ...LISTENER, port }, listenerOf(application));
});
afterAll(async () => {
  await http.drain(0);
  await it.close();
});

/** Sends the header lines as they stand, also one twice. */
function sent(lines: readonly (readonly [name: string, value: string])[]): Promise<number | undefined> {
  const headers = [["Host", `127.0.0.1:${port}`] as const, ...lines].flat();
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path: "/mcp", method: "PUT", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .once("error", reject)
      .end();
  });
}

describe("23. a token in the query string", () => {
  test.each(EACH)("of %s %s is refused, beside a good one too, and goes nowhere", async (method, path) => {
    const authorization = `Bearer ${await it.token()}`;
    const before = it.fetched.length;
    for (const query of ["access_token=x", "a=b&access_token=", "%61ccess_token=x"]) {
      for (const headers of [{}, { authorization }]) {
        const answer = await it.send(`${path}?${query}`, { method, headers: headers as Record<string, string> });
        expect(answer.status).toBe(400);
        expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_request"/);
        expect(await answer.json()).toMatchObject({ error: "invalid_request" });
      }
    }
    expect(it.fetched).toHaveLength(before);
  });
});

describe("23. over HTTP", () => {
  test("one Authorization header is let in, whatever the case of its name and scheme", async () => {
    const token = await it.token();
    // 405: who comes in is told that PUT is not served.
    expect(await sent([["Authorization", `Bearer ${token}`]])).toBe(405);
    expect(await sent([["aUTHORIZATION", `bearer ${token}`]])).toBe(405);
  });

  test("two Authorization headers are refused, also two good ones: nobody says which of them counts", async () => {
    const token = await it.token();
    const good = ["Authorization", `Bearer ${token}`] as const;
    expect(await sent([good, good])).toBe(401);
    expect(await sent([good, ["Authorization", "Bearer other"]])).toBe(401);
    expect(await sent([["Authorization", "Basic YTpi"], good])).toBe(401);
  });

  test("a token of over 8 KiB is refused, and one beyond what headers may hold is, too", async () => {
    const before = it.fetched.length;
    expect(await sent([["Authorization", `Bearer ${"x".repeat(8_193)}`]])).toBe(401);
    expect(await sent([["Authorization", `Bearer ${"x".repeat(100_000)}`]])).toBe(431);
    expect(it.fetched).toHaveLength(before);
  });
});
