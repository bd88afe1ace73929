import { afterAll, beforeAll, expect, test } from "vitest";
import { modern, modernHeaders } from "../behaviour/mcp/stateless-fixture.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";

let gateway: InProcess;
beforeAll(async () => {
  gateway = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "Gateway",
        stream: { path: "/mcp", resource: `${ISSUER}/mcp` },
        oauth: { enabled: false, metadataPath: "/.well-known/oauth-protected-resource", servers: [] },
        allowedOrigins: [ISSUER],
        allowedHosts: ["us.example"],
      },
    },
  });
});
afterAll(() => gateway.close());

function listen(address: string): Promise<Response> {
  const params = { notifications: { toolsListChanged: true } };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...modernHeaders("subscriptions/listen", params),
  };
  const body = JSON.stringify(modern("subscriptions/listen", params));
  return gateway.send("/mcp", { method: "POST", headers, body }, address);
}

test("a caller holds a thousand streams at most, and another once it has closed one", async () => {
  const streams: Response[] = [];
  for (let index = 0; index < 1_000; index++) streams.push(await listen("192.0.2.1"));
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
  const refusal = await listen("192.0.2.1");
  expect(refusal.status).toBe(429);
  expect(refusal.headers.get("retry-after")).toBe("15");
  expect(await refusal.json()).toMatchObject({ error: { message: expect.stringContaining("close one") } });
  const others = await listen("192.0.2.2");
  expect(others.status).toBe(200);
  await streams.pop()?.body?.cancel();
  streams.push(others, await listen("192.0.2.1"));
  expect(streams.at(-1)?.status).toBe(200);
  for (const { body } of streams) await body?.cancel();
});
