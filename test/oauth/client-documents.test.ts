import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createClientDocuments } from "../../lib/authorization-server/clients/client-documents.ts";
import { type DocumentServer, openDocumentServer, type Served } from "../support/document-server.ts";

const URL_OF = (path: string) => `https://agent.example${path}`;
const MINUTE = 60_000;
const DAY = 86_400_000;

let server: DocumentServer;
let now: number;
let lines: string[];
beforeAll(async () => {
  server = await openDocumentServer(["agent.example", "a.example", "b.example"]);
});
afterAll(() => server.close());
beforeEach(() => {
  now = Date.UTC(2027, 0, 1);
  lines = [];
});

const documents = () => {
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const logger = { debug: write, info: write, warn: write, error: write, with: () => logger };
  return createClientDocuments({ agentSuppliedFetch: server.fetch, clock: { now: () => now }, logger });
};
const asked = (path: string) => server.requests.filter((url) => url === URL_OF(path)).length;
/** A document whose server says how long it may be kept. */
const withHeaders =
  (headers: Readonly<Record<string, string>>, body: string | object = { a: 1 }): Served =>
  (_, response) =>
    void response
      .writeHead(200, { "Content-Type": "application/json", ...headers })
      .end(typeof body === "string" ? body : JSON.stringify(body));

describe("client documents", () => {
  test("a document is fetched once and kept for five minutes unless its server says otherwise", async () => {
    server.serve(URL_OF("/kept"), { name: "agent" });
    const kept = documents();
    expect(await kept.get(URL_OF("/kept"))).toEqual({ name: "agent" });
    now += 5 * MINUTE - 1;
    expect(await kept.get(URL_OF("/kept"))).toEqual({ name: "agent" });
    expect(asked("/kept")).toBe(1);
    now += 1;
    await kept.get(URL_OF("/kept"));
    expect(asked("/kept")).toBe(2);
  });

  test.each([
    ["max-age=600", 10 * MINUTE],
    ['public, MAX-AGE="600"', 10 * MINUTE],
    ["max-age=1", MINUTE],
    ["no-store, max-age=600", MINUTE],
    ["no-cache", MINUTE],
    ["max-age=9999999999", DAY],
    ["max-age=-1", 5 * MINUTE],
  ])("with Cache-Control %s it is kept for %d ms", async (value, lifetime) => {
    const path = `/cache-${encodeURIComponent(value)}`;
    server.serve(URL_OF(path), withHeaders({ "Cache-Control": value }));
    const kept = documents();
    await kept.get(URL_OF(path));
    now += lifetime - 1;
    await kept.get(URL_OF(path));
    expect(asked(path)).toBe(1);
    now += 1;
    await kept.get(URL_OF(path));
    expect(asked(path)).toBe(2);
  });

  test("whoever needs it newer gets it newer", async () => {
    server.serve(URL_OF("/newer"), withHeaders({ "Cache-Control": "max-age=86400" }));
    const kept = documents();
    await kept.get(URL_OF("/newer"), 5 * MINUTE);
    now += 5 * MINUTE;
    await kept.get(URL_OF("/newer"), 5 * MINUTE);
    expect(asked("/newer")).toBe(2);
  });

  test.each<[string, Served]>([
    ["404", (_, response) => void response.writeHead(404).end()],
    ["201", (_, response) => void response.writeHead(201, { "Content-Type": "application/json" }).end("{}")],
    ["302", (_, response) => void response.writeHead(302, { Location: URL_OF("/kept") }).end()],
    ["html", withHeaders({ "Content-Type": "text/html" })],
    ["array", withHeaders({}, "[]")],
    ["broken", withHeaders({}, "{")],
    ["long", withHeaders({}, { a: "x".repeat(32 * 1024) })],
    ["declared", withHeaders({ "Content-Length": String(1024 * 1024) }, "{}")],
    ["cut", (_, response) => void response.writeHead(200, { "Content-Length": "5" }).destroy()],
  ])(
    "21. an answer that is no small JSON object cannot be had, and is not asked for again for 30 s: %s",
    async (name, served) => {
      const path = `/bad-${name}`;
      server.serve(URL_OF(path), served);
      const kept = documents();
      expect(await kept.get(URL_OF(path))).toBeUndefined();
      now += 29_999;
      expect(await kept.get(URL_OF(path))).toBeUndefined();
      expect(asked(path)).toBe(1);
      expect(lines).toHaveLength(1);
      expect(lines[0]).toContain(URL_OF(path));
      server.serve(URL_OF(path), { fine: true });
      now += 1;
      expect(await kept.get(URL_OF(path))).toEqual({ fine: true });
    },
  );

  test("21. an address that is not public cannot be had, and the log says why", async () => {
    expect(await documents().get("https://127.0.0.1/client")).toBeUndefined();
    expect(lines[0]).toContain("not on the public internet");
  });

  test("21. one host is asked so often and no more; other hosts are not affected", async () => {
    const kept = documents();
    const before = server.requests.length;
    for (let i = 0; i < 30; i++) await kept.get(`https://a.example/${i}`);
    expect(server.requests.length - before).toBe(10);
    server.serve("https://b.example/client", { b: true });
    expect(await kept.get("https://b.example/client")).toEqual({ b: true });
    now += 5_000;
    await kept.get("https://a.example/30");
    expect(server.requests.at(-1)).toBe("https://a.example/30");
  });

  test("21. beyond that, what is known is used for a day at most", async () => {
    server.serve("https://b.example/known", withHeaders({ "Cache-Control": "max-age=60" }));
    const kept = documents();
    await kept.get("https://b.example/known");
    now += MINUTE;
    const exhaust = async () => {
      for (let i = 0; i < 30; i++) await kept.get(`https://b.example/${now}/${i}`);
    };
    await exhaust();
    const before = server.requests.length;
    expect(await kept.get("https://b.example/known")).toEqual({ a: 1 });
    now += DAY;
    await exhaust();
    expect(await kept.get("https://b.example/known")).toBeUndefined();
    expect(server.requests.slice(before)).not.toContain("https://b.example/known");
  });

  test("what is kept is bounded", async () => {
    const kept = documents();
    const paths = Array.from({ length: 310 }, (_, i) => `/bounded-${i}`);
    for (const path of paths) {
      server.serve(URL_OF(path), withHeaders({ "Cache-Control": "max-age=86400" }));
      await kept.get(URL_OF(path));
      now += 5_000;
    }
    for (const path of ["/bounded-0", "/bounded-309"]) await kept.get(URL_OF(path));
    expect([asked("/bounded-0"), asked("/bounded-309")]).toEqual([2, 1]);
  });

  test("21. addresses where there is nothing push no document out", async () => {
    const kept = documents();
    server.serve(URL_OF("/first"), { first: true });
    await kept.get(URL_OF("/first"));
    for (let i = 0; i < 310; i++) {
      // Refused before anything is connected to, and kept as a failure.
      await kept.get(`https://host-${i}.localhost/client`);
      now += 200;
    }
    await kept.get(URL_OF("/first"));
    expect(asked("/first")).toBe(1);
  });
});
