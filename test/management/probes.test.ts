import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { documentAnswer } from "../../lib/deployment/fetch-document.ts";
import { eventually } from "../support/eventually.ts";
import { freePorts } from "../support/free-port.ts";
import { DOCUMENT, type ProbedAddresses, startProbedAddresses } from "../support/probed-addresses.ts";
import { OPERATIONS } from "./documented.ts";
import { expectDocumented } from "./judge.ts";
import { startWorld, type World } from "./people.ts";

let world: World;
let addresses: ProbedAddresses;
let nobody: string;
beforeAll(async () => {
  addresses = await startProbedAddresses();
  world = await startWorld({ outbound: globalThis.fetch });
  nobody = `http://127.0.0.1:${(await freePorts(1))[0]}`;
});
afterAll(async () => {
  await world.product.close();
  await addresses.stop();
});

type Body = Record<string, unknown> & {
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
};
type Kind = "documents" | "mcp-servers";

const send = async (kind: Kind, body: unknown, who: keyof World["callers"] = "an owner", signal?: AbortSignal) => {
  // Records are in order of their time.
  world.product.clock.set(world.product.clock.now() + 1);
  return world.product.send(`/api/v1/deployment/${kind}`, {
    method: "POST",
    headers: {
      ...(await world.callers[who].credentials()),
      ...{ origin: "https://us.example", "content-type": "application/json" },
    },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
};
const ask = async (kind: Kind, body: unknown, who?: keyof World["callers"]) => {
  const answer = await send(kind, body, who);
  const operation = OPERATIONS.find(({ path }) => path === `/api/v1/deployment/${kind}`);
  await expectDocumented(operation ?? expect.fail(kind), answer.clone());
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
};
const at = (path: string) => `${addresses.url}${path}`;
const lastRecord = async () => {
  const { items } = await world.product.dependencies.stores.auditLog.query(
    { organizationId: world.organizationId, type: "deployment.probed" },
    { limit: 1 },
  );
  return items[0];
};

describe("81. an address of a document", () => {
  test("gives its text unread, and where it was, and the audit log says who asked", async () => {
    for (const [path, uri] of [
      ["/openapi.yaml?key=of-a-test#part", "/openapi.yaml?key=of-a-test"],
      ["/moved", "/openapi.yaml?v=2"],
    ] as const) {
      const { status, body } = await ask("documents", { url: at(path) });
      expect([status, body.uri, body.text === DOCUMENT]).toEqual([200, at(uri), true]);
    }
    expect((await lastRecord())?.details).toMatchObject({ path: "/moved", redirectedTo: at("/openapi.yaml") });
    await ask("documents", { url: at("/openapi.yaml?key=of-a-test") }, "an API client with every permission");
    expect(await lastRecord()).toMatchObject({
      ...{ outcome: "success", actor: expect.stringMatching(/^client_/), requestId: expect.any(String) },
      details: { kind: "document", origin: addresses.url, path: "/openapi.yaml" },
    });
    expect(JSON.stringify(await lastRecord())).not.toContain("of-a-test");
  });

  test("that gives none of use is told of in a sentence, which quotes nothing of it", async () => {
    const rows: readonly (readonly [unknown, string, string])[] = [
      [undefined, "is not a URL", ""],
      ["openapi.yaml", "is not a URL", ""],
      ["ftp://api.example/", "must begin with https:// or http://", ""],
      ["https://me:secret@api.example/", "must hold no user name and no password", ""],
      [`https://api.example/${"a".repeat(8_000)}`, "is not a URL", ""],
      ["http://nobody.invalid/", "could not be reached: its host name was not found", "unreachable"],
      [nobody, "could not be reached: the connection was refused", "unreachable"],
      [at("/").replace("http:", "https:"), "could not be reached: TLS could not be agreed on", "unreachable"],
      ["http://169.254.169.254/latest/meta-data", "is link-local or that of a metadata service", "refused"],
      ["http://[::ffff:169.254.169.254]/", "is link-local or that of a metadata service", "refused"],
      [at("/nothing"), "answered with the HTTP status 404", "http_404"],
      [at("/round"), "redirects more than 5 times", "redirect"],
      [at("/to-a-file"), "redirects to an address that is not accepted", "redirect"],
      [at("/to-a-machine"), "is link-local or that of a metadata service", "refused"],
      [at("/latin"), "is not text in UTF-8", "no_text"],
      [at("/large"), "is larger than 20 MB", "too_large"],
      [at("/endless"), "is larger than 20 MB", "too_large"],
      [at("/broken"), "could not be reached: the connection was closed before the answer", "unreachable"],
    ];
    for (const [url, sentence, reason] of rows) {
      const { status, body } = await ask("documents", { url });
      expect([url, status, body.errors]).toEqual([
        ...[url, 422],
        [{ pointer: "/url", detail: expect.stringContaining(sentence) }],
      ]);
      expect(JSON.stringify(body)).not.toContain("secret");
      if (reason !== "") expect(await lastRecord()).toMatchObject({ outcome: "upstream_error", reason });
    }
    await ask("documents", { url: at("/to-a-machine") });
    const { details } = (await lastRecord()) ?? {};
    expect(details?.redirectedTo).toMatch(/^http:\/\/169\.254\.169\.254\//);
  });

  test("a reader who is too slow gets no more, and keeps nobody from asking", async () => {
    const late = new AbortController();
    const slow = documentAnswer(
      { uri: at("/"), chunks: [new TextEncoder().encode("x")] },
      () => ended.push("slow"),
      late.signal,
    );
    const ended: string[] = [];
    const reader = slow.getReader();
    await reader.read();
    late.abort(new Error("late"));
    await expect(reader.read()).rejects.toThrow("late");
    expect(ended).toEqual(["slow"]);
  });

  test("that is silent is given up after 30 s, and of two that are asked nobody asks a third", async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    const asked = [at("/never"), at("/never")].map((url) => ask("documents", { url }));
    await eventually(
      async () => addresses.waiting(),
      (waiting) => waiting === 2,
    );
    for (const kind of ["documents", "mcp-servers"] as const) {
      const refused = await ask(kind, { url: at("/openapi.yaml") });
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
    }
    expect(timeout).toHaveBeenCalledWith(30_000);
    late.abort(new DOMException("late", "TimeoutError"));
    for (const { status, body } of await Promise.all(asked))
      expect([status, body.detail]).toEqual([422, "The document did not come within 30 s."]);
    timeout.mockRestore();
    addresses.release();
    expect((await ask("documents", { url: at("/openapi.yaml") })).status).toBe(200);
  });

  test("counts while its answer is read, and no longer than a minute", async () => {
    const { clock } = world.product;
    const start = clock.now();
    const answers = await Promise.all([0, 1].map(() => send("documents", { url: at("/openapi.yaml") })));
    expect((await ask("documents", { url: at("/openapi.yaml") })).status).toBe(429);
    await answers[0]?.body?.cancel();
    expect((await ask("documents", { url: at("/openapi.yaml") })).status).toBe(200);
    await send("documents", { url: at("/openapi.yaml") });
    clock.set(start + 61_000);
    expect((await ask("documents", { url: at("/openapi.yaml") })).status).toBe(200);
  });
});

describe("81. an address of an MCP server", () => {
  const everything = {
    ...{ outcome: "answered", name: "everything", title: "Everything", version: "7", prompts: 1, resources: 2 },
    tools: [
      { name: "read", title: "Read", description: "Reads.", annotations: { readOnlyHint: true } },
      { name: "write" },
      { name: "third" },
    ],
  };

  test("gives what the server says of itself, in each generation and by each transport", async () => {
    const rows: readonly (readonly [object, object])[] = [
      [{ url: at("/mcp") }, { ...everything, protocolVersion: "2025-11-25" }],
      [
        { url: at("/sse"), transport: "sse" },
        { ...everything, protocolVersion: "2025-11-25" },
      ],
      [
        { url: at("/stateless") },
        {
          ...{ outcome: "answered", name: "modern", version: "1", protocolVersion: "2026-07-28" },
          ...{ tools: [{ name: "one" }], prompts: 0, resources: 0 },
        },
      ],
      [
        { url: at("/poor") },
        {
          ...{ outcome: "answered", name: "", version: "", protocolVersion: "2025-06-18" },
          ...{ tools: [], prompts: 0, resources: 0 },
        },
      ],
      [{ url: at("/broken-lists") }, { ...everything, protocolVersion: "2025-11-25", prompts: 0 }],
      [{ url: at("/locked") }, { outcome: "unauthorized" }],
      [{ url: at("/forbidden") }, { outcome: "unauthorized" }],
      [
        { url: at("/locked"), headers: { Authorization: "Bearer of-a-test" } },
        { ...everything, protocolVersion: "2025-11-25" },
      ],
    ];
    for (const [given, said] of rows) {
      const { status, body } = await ask("mcp-servers", given);
      expect([given, status, body]).toEqual([given, 200, said]);
    }
  });

  test("has one session, which is ended, and every request carries the headers, which nothing keeps", async () => {
    await world.product.settled();
    const before = addresses.seen.length;
    await ask("mcp-servers", { url: at("/mcp?key=of-a-test"), headers: { "x-key": "secret of a test" } });
    await world.product.settled();
    const seen = addresses.seen.slice(before);
    expect(seen.map(({ line }) => line).sort()).toEqual(
      [
        ...["POST /mcp initialize", "POST /mcp notifications/initialized", "POST /mcp tools/list"],
        ...["POST /mcp tools/list", "POST /mcp prompts/list", "POST /mcp resources/list", "DELETE /mcp"],
      ].sort(),
    );
    expect(seen.every(({ headers }) => headers["x-key"] === "secret of a test")).toBe(true);
    const record = await lastRecord();
    expect(record).toMatchObject({
      ...{ outcome: "success", actor: world.ownerId },
      details: { kind: "mcp", origin: addresses.url, path: "/mcp" },
    });
    expect([JSON.stringify(record), ...world.product.logs].join("\n")).not.toMatch(/secret of a test|of-a-test/);
  });

  test("that is none is told of in a sentence, which quotes neither it nor a header", async () => {
    const rows: readonly (readonly [object, string, string])[] = [
      [{ url: "mcp" }, "/url", "is not a URL"],
      [{ url: at("/mcp"), transport: "stdio" }, "/transport", "must be stream or sse"],
      [{ url: at("/mcp"), headers: ["a"] }, "/headers", "must be an object"],
      [{ url: at("/mcp"), headers: { "a b": "c" } }, "/headers/a b", "is not the name of a header"],
      [{ url: at("/mcp"), headers: { Host: "secret" } }, "/headers/Host", "is made by the service itself"],
      [{ url: at("/mcp"), headers: { "X-Key": "secret\r\na: b" } }, "/headers/X-Key", "of ASCII alone"],
      [{ url: at("/mcp"), headers: { "X-Key": 5 } }, "/headers/X-Key", "must be at most 8000 characters"],
      [{ url: at("/mcp"), headers: { "X-Key": "a", "x-key": "secret" } }, "/headers/x-key", "is there twice"],
      [{ url: at("/mcp"), command: "ls" }, "/command", "is not a field here"],
      [{ url: "http://nobody.invalid/" }, "/url", "could not be reached: its host name was not found"],
      [{ url: nobody }, "/url", "could not be reached: the connection was refused"],
      [{ url: at("/mcp").replace("http:", "https:") }, "/url", "TLS could not be agreed on"],
      [
        { url: at("/nothing") },
        "/url",
        "HTTP status 404. That may be a wrong path, or a server of the older transport",
      ],
      [{ url: at("/nothing"), transport: "sse" }, "/url", "HTTP status 404."],
      [{ url: at("/openapi.yaml"), transport: "sse" }, "/url", "answered GET with no event stream"],
      [{ url: at("/page") }, "/url", "text/html"],
      [{ url: at("/moved") }, "/url", "redirect"],
      [{ url: at("/rude") }, "/url", "does not know the methods by which MCP servers introduce themselves"],
      [{ url: at("/no-list") }, "/url", "the answer to tools/list has no list of tools"],
      [{ url: at("/long") }, "/url", "is larger than 1 MB"],
    ];
    for (const [given, pointer, sentence] of rows) {
      const { status, body } = await ask("mcp-servers", { headers: { "x-key": "secret" }, ...given });
      expect([given, status, body.errors]).toEqual([
        given,
        422,
        [{ pointer, detail: expect.stringContaining(sentence) }],
      ]);
      expect(JSON.stringify(body)).not.toContain("secret");
    }
    expect(world.product.logs.join("\n")).not.toContain("secret");
  });

  test("that is silent is given up after 30 s", async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValueOnce(late.signal);
    const asked = ask("mcp-servers", { url: at("/never") });
    await eventually(
      async () => addresses.waiting(),
      (waiting) => waiting === 1,
    );
    late.abort(new DOMException("late", "TimeoutError"));
    expect(await asked).toMatchObject({ status: 422, body: { detail: "The server did not answer within 30 s." } });
    timeout.mockRestore();
    addresses.release();
  });
});

test("81. whoever leaves ends what is asked for them, and the record says so", async () => {
  for (const kind of ["documents", "mcp-servers"] as const) {
    const leaving = new AbortController();
    const asked = send(kind, { url: at("/never") }, "an owner", leaving.signal);
    await eventually(
      async () => addresses.waiting(),
      (waiting) => waiting === 1,
    );
    leaving.abort();
    await asked;
    expect(await lastRecord()).toMatchObject({ outcome: "cancelled" });
    addresses.release();
  }
});

test("81. where operators sign, and for other organizations, no address is asked", async () => {
  const operated = await startWorld({ outbound: globalThis.fetch, signing: "operator" });
  const before = addresses.seen.length;
  for (const kind of ["documents", "mcp-servers"] as const) {
    const path = `/api/v1/deployment/${kind}`;
    const body = JSON.stringify({ url: at("/openapi.yaml") });
    for (const [where, who, status] of [
      [operated, "an owner", 409],
      [world, "an owner of another organization", 403],
      [world, "a member", 403],
    ] as const) {
      const credentials = await where.callers[who].credentials();
      const headers = { ...credentials, origin: "https://us.example", "content-type": "application/json" };
      const answer = await where.product.send(path, { method: "POST", headers, body });
      expect([kind, who, answer.status]).toEqual([kind, who, status]);
    }
    const headers = { ...(await world.callers["an owner"].credentials()), "content-type": "application/json" };
    const foreign = { ...headers, origin: "https://elsewhere.example" };
    expect((await world.product.send(path, { method: "POST", headers: foreign, body })).status).toBe(403);
  }
  expect(addresses.seen.length).toBe(before);
  await operated.product.close();
});
