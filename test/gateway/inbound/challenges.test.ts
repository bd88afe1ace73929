import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ISSUER } from "../../support/in-process.ts";
import { type BothTransports, bothTransports, MCP_PATHS, SSE_URL, STREAM_URL } from "./both-transports.ts";

let it: BothTransports;
beforeAll(async () => {
  it = await bothTransports();
});
afterAll(() => it.close());

const METHODS = ["GET", "HEAD", "POST", "DELETE", "PUT", "PATCH"] as const;
const EACH = MCP_PATHS.flatMap((endpoint) => METHODS.map((method) => ({ method, ...endpoint })));
const SCOPES = "notes:read notes:write";

describe("a challenge", () => {
  test.each(EACH)("answers $method $path without a token, and names metadata and scopes", async (endpoint) => {
    const { method, path, metadata } = endpoint;
    const answer = await it.send(path, { method });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(`Bearer scope="${SCOPES}", resource_metadata="${metadata}"`);
    expect(answer.headers.get("cache-control")).toBe("no-store");
    if (method === "HEAD") expect(await answer.text()).toBe("");
    else {
      expect(await answer.json()).toEqual({
        error: "unauthorized",
        error_description: expect.any(String),
        scope: SCOPES,
        resource_metadata: metadata,
      });
    }
  });

  test.each(EACH)("answers $method $path with a bad token, and says that it is", async ({ method, path, metadata }) => {
    const answer = await it.send(path, { method, headers: { authorization: "Bearer a.b.c.d e" } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="invalid_token", scope="${SCOPES}", resource_metadata="${metadata}"`,
    );
    if (method === "HEAD") return;
    expect(await answer.json()).toMatchObject({
      error: "invalid_token",
      scope: SCOPES,
      resource_metadata: metadata,
    });
  });

  test.each(["PUT", "PATCH"])("comes before %s is found not to be served", async (method) => {
    expect((await it.send("/mcp", { method })).status).toBe(401);
    const headers = { authorization: `Bearer ${await it.token()}` };
    const answer = await it.send("/mcp", { method, headers });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toMatch(/\bPOST\b/);
  });

  test.each([
    ["none of its scopes", "other", "createNote"],
    ["one scope too few", "notes:read", "createNote"],
    ["the beginning of its scopes", "notes:", "createNote"],
  ])("for more scopes names all that the tool needs to a token with %s", async (_, scope, name) => {
    const answer = await it.send("/mcp", {
      method: "POST",
      headers: {
        authorization: `Bearer ${await it.token(scope)}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": name,
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name,
          arguments: {},
          _meta: {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
          },
        },
      }),
    });
    expect(answer.status).toBe(403);
    const metadata = `${ISSUER}/resource-metadata`;
    expect(answer.headers.get("www-authenticate")).toBe(
      `Bearer error="insufficient_scope", scope="${SCOPES}", resource_metadata="${metadata}"`,
    );
    expect(await answer.json()).toMatchObject({
      error: "insufficient_scope",
      scope: SCOPES,
      resource_metadata: metadata,
    });
  });
});

describe("the protected resource metadata", () => {
  const DOCUMENTS = [
    ["/resource-metadata", STREAM_URL],
    ["/.well-known/oauth-protected-resource/mcp", STREAM_URL],
    ["/.well-known/oauth-protected-resource/legacy/sse", SSE_URL],
  ] as const;

  test.each(DOCUMENTS)("at %s is that of %s, for everyone", async (path, resource) => {
    for (const headers of [{}, { origin: "https://anyone.example" }, { authorization: "Bearer nonsense" }]) {
      const answer = await it.send(path, { headers: headers as Record<string, string> });
      expect(answer.status).toBe(200);
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
      expect(await answer.json()).toEqual({
        resource,
        resource_name: "gateway",
        authorization_servers: ["https://as.example"],
        scopes_supported: ["notes:read", "notes:write"],
        bearer_methods_supported: ["header"],
      });
    }
  });

  test.each(DOCUMENTS)("at %s answers HEAD and a preflight", async (path) => {
    const head = await it.send(path, { method: "HEAD", headers: { origin: "https://anyone.example" } });
    expect(head.status).toBe(200);
    expect(head.headers.get("access-control-allow-origin")).toBe("*");
    expect(await head.text()).toBe("");
    const headers = { origin: "https://anyone.example", "access-control-request-method": "GET" };
    const preflight = await it.send(path, { method: "OPTIONS", headers });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toMatch(/MCP-Protocol-Version/);
  });

  test("of each challenge names the resource that its path stands for", async () => {
    for (const { path, resource } of MCP_PATHS) {
      const { resource_metadata } = (await (await it.send(path)).json()) as { resource_metadata: string };
      const document = await (await it.send(resource_metadata.slice(ISSUER.length))).json();
      expect(document).toMatchObject({ resource });
    }
  });
});
