import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RuntimeUnderTest } from "../support/runtime.ts";
import { callerTrace } from "../telemetry/trace-context.ts";
import { createSigner, issueToken, manage, postForm, tokenEndpointOf } from "./fixture.ts";
import {
  auditOutcome,
  auditRecords,
  bearer,
  call,
  type GatewayUnderTest,
  gatewayToken,
  type Headers,
  mcpURL,
  post,
  postWithHost,
  rpc,
  STATELESS_META,
  startGateway,
  textOf,
} from "./gateway-fixture.ts";

/** The headers of the one revision that has batches. */
const BATCHES: Headers = { "mcp-protocol-version": "2025-03-26" };

/** Runtimes where the code learns that the caller left. Lambda has no such signal: there a call runs to its end. */
const NOTICE_DEPARTURE: readonly RuntimeUnderTest["name"][] = ["node", "workerd"];

type Failure = readonly [tool: string, outcome: string, text: RegExp];
const FAILURES: readonly Failure[] = [
  ["failure", "upstream_error", /HTTP 500/],
  ["page", "upstream_error", /not as documented/],
  ["large", "upstream_error", /longer than/],
  ["elsewhere", "tool_error", /redirects are not followed/],
];

/** The MCP endpoint over HTTP: who may call what, what reaches the upstream, and what is recorded. */
export function gateway(runtime: RuntimeUnderTest): void {
  describe("gateway", () => {
    let it: GatewayUnderTest;
    let authorization: Headers;
    const noticesDeparture = NOTICE_DEPARTURE.includes(runtime.name);

    beforeAll(async () => {
      it = await startGateway(runtime);
      authorization = bearer(await gatewayToken(it.us, it.reader));
    });
    afterAll(() => it.stop());

    const send = (message: unknown, headers: Headers = {}) => post(it.us, message, { ...authorization, ...headers });
    const stateless = (method: string, params: Readonly<Record<string, unknown>> = {}) =>
      send(
        { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta: STATELESS_META } },
        {
          "mcp-protocol-version": "2026-07-28",
          "mcp-method": method,
          ...(typeof params.name === "string" && { "mcp-name": params.name }),
        },
      );
    const request = (init: RequestInit, query = "") => fetch(mcpURL(it.us) + query, init);

    describe("finding the way in", () => {
      test("health says up to everyone", async () => {
        const response = await fetch(`${it.us.url}/status`);
        expect(response.status).toBe(200);
        expect(await response.json()).toEqual({ status: "up" });
      });

      test.each(["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"])(
        "%s names the exact MCP URL and our issuer to any origin",
        async (path) => {
          const response = await fetch(it.us.url + path, { headers: { origin: "https://client.example" } });
          expect(response.headers.get("access-control-allow-origin")).toBe("*");
          expect(await response.json()).toEqual({
            resource: mcpURL(it.us),
            resource_name: expect.any(String),
            authorization_servers: [it.us.url],
            scopes_supported: ["notes:read", "notes:write"],
            bearer_methods_supported: ["header"],
          });
        },
      );

      test.each(["GET", "POST", "DELETE", "PUT"])(
        "%s without a token is challenged, without an error code",
        async (method) => {
          const response = await request({ method });
          expect(response.status).toBe(401);
          expect(response.headers.get("www-authenticate")).toBe(
            `Bearer scope="notes:read notes:write", resource_metadata="${it.us.url}/.well-known/oauth-protected-resource"`,
          );
          expect(await response.json()).toMatchObject({
            scope: "notes:read notes:write",
            resource_metadata: `${it.us.url}/.well-known/oauth-protected-resource`,
          });
        },
      );

      test.each(["GET", "DELETE"])("%s with a token is 405: there is no session to open or end", async (method) => {
        const response = await request({ method, headers: authorization });
        expect(response.status).toBe(405);
        expect(response.headers.get("allow")).toBe("POST");
      });

      test("a preflight of an allowed origin needs no token, and the challenge is readable there", async () => {
        const origin = { origin: it.us.url };
        const preflight = await request({ method: "OPTIONS", headers: origin });
        expect(preflight.status).toBe(204);
        expect(preflight.headers.get("access-control-allow-origin")).toBe(it.us.url);
        expect(preflight.headers.get("access-control-allow-headers")).toMatch(/Authorization.*Mcp-Name/);
        const refused = await request({ method: "POST", headers: origin });
        expect(refused.status).toBe(401);
        expect(refused.headers.get("access-control-allow-origin")).toBe(it.us.url);
        expect(refused.headers.get("access-control-expose-headers")).toMatch(/WWW-Authenticate/);
      });
    });

    describe("who may come in", () => {
      test("22. a foreign Origin is 403 before anything else, also on a preflight", async () => {
        const headers = { origin: "https://evil.example" };
        expect((await request({ method: "POST", headers })).status).toBe(403);
        expect((await request({ method: "OPTIONS", headers })).status).toBe(403);
        expect((await send(call("listTags"), headers)).status).toBe(403);
      });

      test("22. a foreign Host is 403 before anything else", async () => {
        expect(await postWithHost(it.us, "evil.example")).toBe(403);
        expect(await postWithHost(it.us, new URL(it.us.url).host)).toBe(401);
      });

      test("23. a token for another audience is refused", async () => {
        const management = await issueToken(it.us, it.reader);
        const response = await post(it.us, call("listTags"), bearer(management));
        expect(response.status).toBe(401);
        expect(response.headers.get("www-authenticate")).toMatch(/^Bearer error="invalid_token"/);
        expect(await response.json()).toMatchObject({ error: "invalid_token" });
      });

      test("23. a token of another region is refused there", async () => {
        const response = await post(it.regions.uk, call("listTags"), authorization);
        expect(response.status).toBe(401);
      });

      test("23. a token in the query string is refused, even beside a good one", async () => {
        const token = authorization.authorization?.slice("Bearer ".length) ?? "";
        const init = { method: "POST", headers: authorization };
        const response = await request(init, `?access_token=${token}`);
        expect(response.status).toBe(400);
        expect(await response.json()).toMatchObject({ error: "invalid_request" });
      });

      test.each([
        "nonsense",
        "cst_us_00",
        "a.b.c",
        "eyJhbGciOiJub25lIn0.eyJpc3MiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9.",
        "ü",
      ])("23. the token %j is refused", async (token) => {
        // Header values are bytes: what is not Latin-1 could not be sent at all.
        expect((await post(it.us, call("listTags"), bearer(token))).status).toBe(401);
      });

      test("a revoked token is refused on the next call", async () => {
        const signer = await createSigner(it.owner, { resources: [mcpURL(it.us)] });
        const token = await gatewayToken(it.us, signer);
        expect((await rpc(await post(it.us, call("listTags"), bearer(token)))).result).toBeDefined();
        const deleted = await manage(it.owner, "DELETE", `/api-clients/${signer.clientId}?revokeTokens=true`);
        expect(deleted.ok).toBe(true);
        expect((await post(it.us, call("listTags"), bearer(token))).status).toBe(401);
      });
    });

    describe("calling tools", () => {
      test("a call reaches the API and its answer comes back structured", async () => {
        const answer = await rpc(await send(call("getNote", { noteId: "1" })));
        expect(answer.result).toMatchObject({ structuredContent: { noteId: "1", title: "First" } });
        expect(answer.result?.isError).toBeUndefined();
      });

      test("every tool is listed, also those that need more scopes", async () => {
        const { result } = await rpc(await send({ jsonrpc: "2.0", id: 1, method: "tools/list" }));
        const names = ((result?.tools ?? []) as { name: string }[]).map(({ name }) => name);
        expect(names).toContain("upstream_createNote");
        expect(names).not.toContain("upstream_importNotes");
      });

      test("a tool that needs another scope is 403 with all scopes it needs, and the denial is recorded", async () => {
        const before = it.upstream.requests.length;
        const response = await send(call("createNote", { title: "No" }));
        expect(response.status).toBe(403);
        expect(response.headers.get("www-authenticate")).toMatch(
          /^Bearer error="insufficient_scope", scope="notes:read notes:write", resource_metadata="/,
        );
        expect(await response.json()).toMatchObject({ error: "insufficient_scope", scope: "notes:read notes:write" });
        expect(it.upstream.requests).toHaveLength(before);
        const record = await auditOutcome(it.owner, "createNote", "denied");
        expect(record).toMatchObject({ agent: it.reader.clientId, reason: "insufficient_scope", app: "upstream" });
        expect(record).toMatchObject({ details: { missing: "notes:write", held: "notes:read" } });
      });

      test("an owner is told the steps of that decision without the call", async () => {
        const before = it.upstream.requests.length;
        const asked = { tool: "upstream_createNote", clientId: it.reader.clientId, arguments: { title: "No" } };
        const answer = await manage(it.owner, "POST", "/explanations", asked);
        expect([answer.status, await answer.json()]).toMatchObject([
          200,
          {
            decision: "denied",
            claims: { scope: "notes:read" },
            steps: expect.arrayContaining([
              expect.objectContaining({ step: "scopes", decision: "denied", why: "the token lacks notes:write" }),
            ]),
          },
        ]);
        expect(it.upstream.requests).toHaveLength(before);
      });

      test("an entry for scopes names a tool exactly, or matches its whole name by a regular expression", async () => {
        const nobody = await createSigner(it.owner, { resources: [mcpURL(it.us)] });
        const headers = bearer(await gatewayToken(it.us, nobody));
        const asked = async (name: string, given = {}) => {
          const response = await post(it.us, call(name, given), headers);
          const scope = /scope="([^"]*)"/.exec(response.headers.get("www-authenticate") ?? "")?.[1];
          await response.body?.cancel();
          return [name, response.status, scope];
        };
        expect(await asked("getNote", { noteId: "1" })).toEqual(["getNote", 403, "notes:read"]);
        // Begins like a tool that an entry names, and holds what an expression matches: neither is a match.
        expect(await asked("getNoteText", { noteId: "1" })).toEqual(["getNoteText", 200, undefined]);
        expect(await asked("image")).toEqual(["image", 403, "notes:read"]);
        expect(await asked("shape")).toEqual(["shape", 200, undefined]);
      });

      test("42. what an agent is denied again and again is recorded the first time, and then counted", async () => {
        for (let i = 0; i < 30; i++) expect((await send(call("createNote", { title: `${i}` }))).status).toBe(403);
        const denied = (await auditRecords(it.owner, "createNote")).filter(({ outcome }) => outcome === "denied");
        expect(denied.length).toBeGreaterThan(0);
        // Each instance counts by itself, and one that counts for a minute writes how many there were.
        expect(denied.length).toBeLessThan(10);
      });

      test("24. nothing of the agent's headers reaches the API, and none overrides ours", async () => {
        const headers = {
          cookie: "session=1",
          "x-forwarded-for": "198.51.100.1",
          "x-api-key": "secret",
          accept: "application/json, text/event-stream, text/html",
        };
        await rpc(await send(call("listNotes", { "X-Trace": "t" }), headers));
        const sent = it.upstream.requests.at(-1);
        expect(sent?.url).toBe("/notes");
        expect(sent?.headers).toMatchObject({
          accept: "application/json",
          "user-agent": "Countersign",
          "x-trace": "t",
        });
        for (const name of ["authorization", "cookie", "x-api-key", "mcp-protocol-version", "mcp-session-id"]) {
          expect(sent?.headers).not.toHaveProperty(name);
        }
        expect(JSON.stringify(sent?.headers)).not.toContain("198.51.100.1");
      });

      test("26. a header that names another method or tool than the body is refused", async () => {
        const before = it.upstream.requests.length;
        for (const headers of [
          { "mcp-method": "tools/list" },
          { "mcp-method": "tools/call", "mcp-name": "upstream_createNote" },
          { "mcp-name": `=?base64?${btoa("upstream_createNote")}?=` },
        ]) {
          const response = await send(call("listTags"), headers as Headers);
          expect(response.status).toBe(400);
          expect((await rpc(response)).error?.code).toBe(-32020);
        }
        // A harmless name in the header does not open the tool in the body.
        const hidden = await send(call("createNote", { title: "x" }), { "mcp-name": "upstream_listTags" });
        expect([400, 403]).toContain(hidden.status);
        expect(it.upstream.requests).toHaveLength(before);
      });

      test.each(["../tags", "..", "%2e%2e", "a\r\nb"])("28. the path parameter %j does not get out", async (noteId) => {
        const before = it.upstream.requests.length;
        const answer = await rpc(await send(call("getNote", { noteId })));
        expect(answer.result?.isError).toBe(true);
        expect(textOf(answer)).toMatch(/noteId/);
        expect(it.upstream.requests).toHaveLength(before);
      });

      test("28. a slash in a path parameter arrives encoded", async () => {
        await rpc(await send(call("getNote", { noteId: "a/b" })));
        expect(it.upstream.requests.at(-1)?.url).toBe("/notes/a%2Fb");
      });

      test("an image is one", async () => {
        const { result } = await rpc(await send(call("image")));
        expect(result?.content).toEqual([{ type: "image", data: "iVBORw==", mimeType: "image/png" }]);
      });

      test.each(FAILURES)("29. %s is an error to the agent and in the record", async (name, outcome, text) => {
        const answer = await rpc(await send(call(name)));
        expect(answer.result?.isError).toBe(true);
        expect(textOf(answer)).toMatch(text);
        await auditOutcome(it.owner, name, outcome);
      });

      test("invalid arguments name the property and are not sent", async () => {
        const answer = await rpc(await send(call("listNotes", { limit: "many" })));
        expect(answer.result?.isError).toBe(true);
        expect(textOf(answer)).toMatch(/limit/);
      });
    });

    describe("the record of a call", () => {
      test("tells who called what and how it ended, and nothing of the arguments", async () => {
        await rpc(await send(call("getNoteText", { noteId: "1" })));
        const record = await auditOutcome(it.owner, "getNoteText", "success");
        expect(record).toMatchObject({
          type: "tool.invoked",
          agent: it.reader.clientId,
          names: { [it.reader.clientId]: "a client" },
          app: "upstream",
          tool: "upstream_getNoteText",
          region: "us",
          requestId: expect.any(String),
          durationMs: expect.any(Number),
          argumentsDigest: expect.stringMatching(/^[\w-]{43}$/),
        });
        expect(record).not.toHaveProperty("user");
        expect(JSON.stringify(record)).not.toContain("noteId");
      });

      test("has the trace that the agent names, and nothing else that stands in its place", async () => {
        const [http, mcp] = [callerTrace({ isSampled: false }), callerTrace()];
        const traceOf = async (headers: Headers, meta?: object) => {
          const { params, ...message } = call("getNote", { noteId: "1" });
          const answered = await send({ ...message, params: { ...params, ...(meta && { _meta: meta }) } }, headers);
          await rpc(answered);
          const requestId = answered.headers.get("x-request-id");
          const record = async () =>
            (await auditRecords(it.owner, "getNote")).find((one) => one.requestId === requestId);
          await expect.poll(record).toBeDefined();
          return ((await record())?.details as { readonly traceId?: string } | undefined)?.traceId;
        };
        expect(await traceOf({ traceparent: http.traceparent })).toBe(http.traceId);
        const both = [{ traceparent: http.traceparent }, { traceparent: mcp.traceparent }] as const;
        expect(await traceOf(...both)).toBe(mcp.traceId);
        expect(await traceOf({ traceparent: "<script>" }, { traceparent: "anything" })).toBeUndefined();
      });

      test("is one per call, also for calls that fail", async () => {
        const before = (await auditRecords(it.owner, "shape")).length;
        await Promise.all([1, 2, 3].map((id) => send(call("shape", {}, id)).then(rpc)));
        await expect.poll(() => auditRecords(it.owner, "shape")).toHaveLength(before + 3);
      });

      test("38. reads unknown while the call is open and is completed when it ends", async () => {
        // The headers arrive although the API has not answered: proxies cut what stays silent.
        const response = await send(call("slow"));
        await expect.poll(() => it.upstream.waiting).toBe(1);
        const open = await auditOutcome(it.owner, "slow", "unknown");
        it.upstream.release();
        expect(textOf(await rpc(response))).toBe("at last");
        const done = await auditOutcome(it.owner, "slow", "success");
        expect(done.id).toBe(open.id);
      });

      test("38. is completed although the agent leaves", async () => {
        const agent = new AbortController();
        const left = post(it.us, call("slow"), authorization, agent.signal)
          .then(rpc)
          .catch((cause: Error) => cause.name);
        await expect.poll(() => it.upstream.waiting).toBe(1);
        agent.abort();
        expect(await left).toBe("AbortError");
        if (noticesDeparture) {
          await auditOutcome(it.owner, "slow", "cancelled");
          await expect.poll(() => it.upstream.waiting).toBe(0);
        } else {
          it.upstream.release();
          await auditOutcome(it.owner, "slow", "success");
        }
      });

      test("is readable for an API client with audit:read", async () => {
        const response = await postForm(tokenEndpointOf(it.us), {});
        expect(response.status).toBe(400);
        const token = await issueToken(it.us, it.reader, { scope: "audit:read" });
        const events = await fetch(`${it.us.url}/api/v1/audit-events?type=tool.invoked`, { headers: bearer(token) });
        expect(events.status).toBe(200);
        expect(((await events.json()) as { items: unknown[] }).items.length).toBeGreaterThan(0);
      });
    });

    describe("the list of tools in the management API", () => {
      test("shows an owner each tool with app, operation and scopes, and what was left out", async () => {
        const response = await manage(it.owner, "GET", "/tools");
        const { items, leftOut } = (await response.json()) as { items: unknown[]; leftOut: unknown[] };
        expect(items).toContainEqual(
          expect.objectContaining({
            name: "upstream_createNote",
            localName: "createNote",
            app: "upstream",
            method: "POST",
            path: "/notes",
            scopes: ["notes:read", "notes:write"],
          }),
        );
        const reason = "unsupported request body";
        const detail = "multipart/mixed";
        expect(leftOut).toContainEqual({ app: "upstream", operation: "POST /notes/import", reason, detail });
      });

      test("needs tools:read of an API client", async () => {
        const signer = await createSigner(it.owner, { scopes: ["tools:read"] });
        const read = (token: string) => fetch(`${it.us.url}/api/v1/tools`, { headers: bearer(token) });
        expect((await read(await issueToken(it.us, signer))).status).toBe(200);
        expect((await read(await issueToken(it.us, it.reader))).status).toBe(403);
        expect((await fetch(`${it.us.url}/api/v1/tools`)).status).toBe(401);
      });
    });

    describe("messages", () => {
      test.each([
        ["no JSON", "{", 400, -32700],
        ["an empty body", "", 400, -32700],
        ["a number", "5", 400, undefined],
        ["no JSON-RPC", '{"hello":1}', 400, undefined],
        ["endless nesting", "[".repeat(500) + "]".repeat(500), 400, -32600],
      ])("%s is a clean error", async (_, body, status, code) => {
        const response = await send(body);
        expect(response.status).toBe(status);
        const { error } = await rpc(response);
        if (code === undefined) expect(error?.code).toBeLessThan(0);
        else expect(error?.code).toBe(code);
      });

      test("a message above 4 MB is 413", async () => {
        const response = await send(call("createNote", { title: "t", text: "x".repeat(4 * 1024 * 1024) }));
        expect(response.status).toBe(413);
      });

      test("another content type is 415", async () => {
        expect((await send(call("listTags"), { "content-type": "text/plain" })).status).toBe(415);
      });

      test("an unknown tool and an unknown method are JSON-RPC errors", async () => {
        expect((await rpc(await send(call("nothing")))).error?.code).toBe(-32602);
        expect((await rpc(await send({ jsonrpc: "2.0", id: 1, method: "no/such" }))).error?.code).toBe(-32601);
      });

      test("a batch with a call that is not allowed is refused as a whole", async () => {
        const before = it.upstream.requests.length;
        const response = await send([call("listTags", {}, 1), call("createNote", { title: "x" }, 2)], BATCHES);
        expect(response.status).toBe(403);
        expect(it.upstream.requests).toHaveLength(before);
      });

      test("the stateless generation also gets its headers before the API answers", async () => {
        const response = await stateless("tools/call", { name: "upstream_slow", arguments: {} });
        await expect.poll(() => it.upstream.waiting).toBe(1);
        it.upstream.release();
        expect(textOf(await rpc(response))).toBe("at last");
      });

      test("a stateless header without _meta is refused, never treated as old", async () => {
        const response = await send(call("listTags"), { "mcp-protocol-version": "2026-07-28" });
        expect(response.status).toBe(400);
      });

      test("the stateless generation discovers, lists privately for a while, and calls", async () => {
        expect((await rpc(await stateless("server/discover"))).result).toMatchObject({
          supportedVersions: ["2026-07-28"],
        });
        expect((await rpc(await stateless("tools/list"))).result).toMatchObject({
          ttlMs: 60_000,
          cacheScope: "private",
        });
        const called = await stateless("tools/call", { name: "upstream_listTags", arguments: {} });
        expect((await rpc(called)).result).toMatchObject({ resultType: "complete", content: [{ text: '["a","b"]' }] });
      });
    });
  });
}
