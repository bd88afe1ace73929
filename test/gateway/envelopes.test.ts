import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RESOURCE } from "./started.ts";
import { withGateway } from "./with-gateway.ts";

const it = withGateway();

const method = fc.constantFrom(
  ..."initialize tools/list tools/call server/discover subscriptions/listen notifications/cancelled ping".split(" "),
  "__proto__",
  "",
);
const name = fc.constantFrom("getNote", "listTags", "__proto__", "constructor", "", "x".repeat(500));
const meta = fc.record(
  {
    "io.modelcontextprotocol/protocolVersion": fc.oneof(fc.constantFrom("2026-07-28", "1900-01-01"), fc.jsonValue()),
    "io.modelcontextprotocol/clientInfo": fc.jsonValue(),
    "io.modelcontextprotocol/clientCapabilities": fc.jsonValue(),
    progressToken: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const params = fc.oneof(
  fc.jsonValue(),
  fc.record(
    { name: fc.oneof(name, fc.jsonValue()), arguments: fc.jsonValue(), _meta: fc.oneof(meta, fc.jsonValue()) },
    { requiredKeys: [] },
  ),
);
const message = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.jsonValue()),
    method: fc.oneof(method, fc.jsonValue()),
    params,
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: message.map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: fc.array(message, { maxLength: 4 }).map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string() },
);
const headers = fc.record(
  {
    "mcp-protocol-version": fc.constantFrom("2025-06-18", "2026-07-28", "nonsense"),
    "mcp-method": fc.constantFrom("tools/call", "tools/list", "=?base64?//8=?="),
    "mcp-name": fc.constantFrom("getNote", "=?base64?Z2V0Tm90ZQ==?=", "=?base64?!!?="),
    "mcp-session-id": fc.constantFrom("x", "00000000-0000-0000-0000-000000000000"),
  },
  { requiredKeys: [] },
);

describe("37. JSON-RPC envelopes", () => {
  test("no message yields a 5xx, and each answer is JSON-RPC or a challenge", async () => {
    const token = await it.server.sign({ aud: RESOURCE, scope: "notes:read" });
    await fc.assert(
      fc.asyncProperty(body, headers, async (text, more) => {
        const response = await it.gateway.send("/mcp", {
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            ...more,
          },
          body: text,
        });
        expect(response.status).toBeLessThan(500);
        const answer = await response.text();
        expect(answer).not.toMatch(/ {4}at |node_modules/);
        if (response.status >= 400) expect(JSON.parse(answer)).toHaveProperty("error");
      }),
      { numRuns: 300 },
    );
  });
});
