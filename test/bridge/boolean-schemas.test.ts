import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { describe, expect, test } from "vitest";
import { listedTool } from "../../lib/gateway/tool-index.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { refusedBySDKs } from "../openapi/sdk-clients.ts";
import { compileOperation, jsonBody, parameter } from "./compiled.ts";

const components = { schemas: { Any: true, None: false } };
const properties = {
  any: true,
  never: false,
  named: { $ref: "#/components/schemas/Any" },
  list: { type: "array", items: true, prefixItems: [false] },
  deep: { type: "object", properties: { any: true, never: false }, additionalProperties: false },
  either: { anyOf: [true, { type: "string" }] },
};
const responses = {
  200: { description: "", content: { "application/json": { schema: { type: "object", properties } } } },
};

/** OpenAPI 3.1: a schema is an object or a boolean. */
describe("schemas that are true or false", () => {
  const flat = () =>
    compileOperation(
      "post",
      "/a",
      {
        parameters: [
          parameter("q", "query", { schema: true }),
          parameter("json", "query", { schema: undefined, content: { "application/json": { schema: true } } }),
          parameter("off", "query", { schema: false }),
        ],
        requestBody: jsonBody({ type: "object", properties, required: ["any"] }),
        responses,
      },
      components,
    );
  const whole = () => compileOperation("put", "/a", { requestBody: jsonBody(true) }, components);

  test("are read by clients with the whole list", async () => {
    expect(await refusedBySDKs([await flat(), await whole()])).toEqual([]);
  });

  test("are objects that mean the same among arguments and members of answers", async () => {
    const { inputSchema, outputSchema } = listedTool(await flat());
    expect(inputSchema.properties).toMatchObject({ q: {}, json: {}, off: { not: {} }, any: {}, never: { not: {} } });
    expect(inputSchema.required).toEqual(["any"]);
    expect(outputSchema?.properties).toMatchObject({ any: {}, never: { not: {} } });
    expect(listedTool(await whole()).inputSchema).toEqual({
      type: "object",
      properties: { body: {} },
      required: ["body"],
      additionalProperties: false,
    });
  });

  test.each<readonly [given: object, problem: RegExp | undefined]>([
    [{ any: null, q: [1], json: { a: 1 }, named: 5, list: [], deep: { any: "x" }, either: {} }, undefined],
    [{ any: 1, never: 1 }, /^never: is not accepted/],
    [{ any: 1, off: "x" }, /^off: is not accepted/],
    [{ any: 1, list: [1] }, /list/],
    [{ any: 1, deep: { never: 1 } }, /deep\.never/],
    [{}, /any/],
  ])("arguments are checked as the document has them: %j", async (given, problem) => {
    const { inputSchema } = await flat();
    const problems = createSchemaCheck()(inputSchema, given);
    if (problem === undefined) expect(problems).toEqual([]);
    else expect(problems.join("; ")).toMatch(problem);
    const listed = { ...listedTool(await flat()).inputSchema };
    expect(new AjvJsonSchemaValidator().getValidator(listed)(given).valid).toBe(problem === undefined);
  });
});
