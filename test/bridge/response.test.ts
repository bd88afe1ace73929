import { describe, expect, test } from "vitest";
import { readResponse } from "../../lib/bridge/response.ts";
import { compileOperation } from "./compiled.ts";

const SCHEMA = { type: "object", properties: { a: {} } };
const UNDOCUMENTED = { responses: { 200: { description: "ok" } } };
const DOCUMENTED = { responses: { 200: { description: "ok", content: { "application/json": { schema: SCHEMA } } } } };

/** `{"a":[[…]]}` of so many levels, the innermost array included. */
const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`;

describe.each([
  ["without", UNDOCUMENTED],
  ["with", DOCUMENTED],
])("29. an API's JSON %s an output schema", (_, operation) => {
  const read = async (body: string) => {
    const tool = await compileOperation("get", "/x", operation);
    const response = new Response(body, { headers: { "content-type": "application/json" } });
    return readResponse({ tool, response });
  };

  test.each([1_001, 1_000_000])("of %i levels is an error that can be written", async (levels) => {
    const invocation = await read(nested(levels));
    expect(invocation).toMatchObject({
      outcome: "upstream_error",
      reason: "unexpected_response",
      result: { isError: true },
    });
    expect(invocation.result.structuredContent).toBeUndefined();
    expect(JSON.stringify(invocation)).toContain("not as documented: it is nested over 1000 levels deep");
  });

  test("of 1,000 levels is a result", async () => {
    const invocation = await read(nested(1_000));
    expect(invocation.outcome).toBe("success");
    expect(JSON.stringify(invocation.result.structuredContent)).toBe(nested(1_000));
  });
});
