import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BothTransports, bothTransports, MCP_PATHS } from "./both-transports.ts";

const ORIGIN = "https://agent.example";
const PATHS = MCP_PATHS.map(({ path }) => path);
const list = (answer: Response, name: string) => (answer.headers.get(name) ?? "").split(", ");

let it: BothTransports;
beforeAll(async () => {
  it = await bothTransports();
});
afterAll(() => it.close());

const preflight = (path: string, origin: string) =>
  it.send(path, { method: "OPTIONS", headers: { origin, "access-control-request-method": "POST" } });

describe("a page of an allowed origin", () => {
  test.each(PATHS)("is let through to %s by a preflight without a token", async (path) => {
    const answer = await preflight(path, ORIGIN);
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/);
    expect(list(answer, "access-control-allow-methods")).toEqual(["POST", "GET", "DELETE", "OPTIONS"]);
    expect(list(answer, "access-control-allow-headers")).toEqual([
      "Authorization",
      "Content-Type",
      "Accept",
      "Last-Event-ID",
      "MCP-Protocol-Version",
      "X-Agent-Session",
      "Mcp-Method",
      "Mcp-Name",
      "Mcp-Param-Note-Id",
    ]);
  });

  test.each(PATHS)("can read the challenge of %s, and what else it needs", async (path) => {
    const answer = await it.send(path, { method: "POST", headers: { origin: ORIGIN } });
    expect(answer.status).toBe(401);
    expect(answer.headers.get("access-control-allow-origin")).toBe(ORIGIN);
    expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    const exposed = list(answer, "access-control-expose-headers");
    expect(exposed).toEqual(expect.arrayContaining(["WWW-Authenticate", "X-Agent-Session", "X-Request-Id"]));
  });

  test("is told of the session header's usual name where sessions are off", async () => {
    const plain = await bothTransports({ stream: { path: "/mcp", resource: "https://us.example/mcp" } });
    const headers = { origin: ORIGIN };
    const answer = await plain.send("/mcp", { method: "OPTIONS", headers });
    expect(list(answer, "access-control-allow-headers")).toContain("Mcp-Session-Id");
    await plain.close();
  });
});

test("an answer to no page says that others may differ, and allows none", async () => {
  const answer = await it.send("/mcp", { method: "POST" });
  expect(answer.headers.get("vary")).toMatch(/\bOrigin\b/);
  expect(answer.headers.get("access-control-allow-origin")).toBeNull();
});
