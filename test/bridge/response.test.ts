import { describe, expect, test } from "vitest";
import { readResponse } from "../../lib/openapi/response.ts";
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

describe("a long answer is told twice only where its structure was promised", () => {
  const longest = 256 * 1024;
  test.each([
    ["without an output schema", UNDOCUMENTED, false, longest + 1, false],
    ["with an output schema", DOCUMENTED, false, longest + 1, true],
    ["called by way of call_tool", DOCUMENTED, true, longest + 1, false],
    ["that is not that long", UNDOCUMENTED, false, longest, true],
  ])("%s", async (_, operation, lenient, length, isStructured) => {
    const tool = await compileOperation("get", "/x", operation);
    const value = { a: "x".repeat(length - '{"a":""}'.length) };
    const text = JSON.stringify(value);
    const response = new Response(text, { headers: { "content-type": "application/json" } });
    const { result, outcome } = await readResponse({ tool, response, lenient });
    expect(outcome).toBe("success");
    expect(result.content).toEqual([{ type: "text", text }]);
    expect(result.structuredContent).toEqual(isStructured ? value : undefined);
  });
});
