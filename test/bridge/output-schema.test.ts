import { AjvJsonSchemaValidator } from "@modelcontextprotocol/client/validators/ajv";
import { AjvJsonSchemaValidator as OldValidator } from "@modelcontextprotocol/sdk/validation/ajv";
import { describe, expect, test } from "vitest";
import { readResponse } from "../../lib/openapi/response.ts";
import { documentedJson, sends, textOf, withAnsweringApi } from "./answering-api.ts";
import { compileOperation } from "./compiled.ts";

const api = withAnsweringApi();

const NOTE = {
  type: "object",
  required: ["id", "state"],
  additionalProperties: false,
  properties: {
    id: { type: "integer", minimum: 1 },
    state: { type: "string", enum: ["open", "closed"] },
    kind: { const: "note" },
    email: { type: "string", format: "email", pattern: "^.+@.+$", maxLength: 20, description: "Whose it is." },
    tags: { type: "array", uniqueItems: true, minItems: 1, items: { type: "string", minLength: 1 } },
    owner: { oneOf: [{ type: "object", properties: { a: { type: "string" } } }, { type: "object" }] },
    parent: { $ref: "#/components/schemas/Note" },
  },
};
const operation = documentedJson({ $ref: "#/components/schemas/Note" });
const tool = () => compileOperation("get", "/answer", operation, { schemas: { Note: NOTE } });

describe("an output schema describes answers as APIs give them", () => {
  test("it tells members and types, and asks for nothing", async () => {
    const { outputSchema } = await tool();
    expect(outputSchema).toMatchObject({
      type: "object",
      properties: {
        id: { type: ["integer", "null"] },
        state: { type: ["string", "null"], examples: ["open", "closed"] },
        kind: { examples: ["note"] },
        email: { type: ["string", "null"], description: "Whose it is." },
        tags: { type: ["array", "null"], items: { type: ["string", "null"] } },
        owner: { anyOf: [{ type: ["object", "null"] }, { type: ["object", "null"] }] },
        parent: { $ref: "#/$defs/Note" },
      },
    });
    expect(JSON.stringify(outputSchema)).not.toMatch(/required|enum|pattern|format|Length|Items|minimum|additional/);
  });

  test.each([
    ["a value that came later", { id: 1, state: "merged" }],
    ["null", { id: 1, state: "open", email: null, tags: null, parent: null, owner: null }],
    ["a member that is missing or more", { state: "open", more: 1 }],
    ["another form", { id: 0, state: "open", email: "nobody", tags: ["", ""] }],
    ["two alternatives that fit", { id: 1, state: "open", owner: { a: "b" } }],
    ["nothing", {}],
  ])("%s is an answer that clients take", async (_, answer) => {
    const { outputSchema } = await tool();
    for (const validators of [new AjvJsonSchemaValidator(), new OldValidator()]) {
      expect(validators.getValidator({ ...outputSchema })(answer)).toMatchObject({ valid: true });
    }
    const { properties } = NOTE;
    const inline = documentedJson({ ...NOTE, properties: { ...properties, parent: { type: "object" } } });
    const invocation = await api.call(sends(JSON.stringify(answer), "application/json"), { operation: inline });
    expect(invocation).toMatchObject({ outcome: "success", result: { structuredContent: answer } });
  });
});

describe("an answer of another type than documented", () => {
  const text = { type: "string" };
  const members = {
    list: { type: "array", items: text },
    pair: { type: "array", prefixItems: [text], items: { type: "integer" } },
    map: { type: "object", additionalProperties: text },
    byPattern: { type: "object", patternProperties: { "^x-": text }, additionalProperties: { type: "integer" } },
    one: { oneOf: [text, { type: "number" }] },
    all: { allOf: [text, { minLength: 1 }] },
    self: { $ref: "#/components/schemas/Members" },
    never: false,
    whole: { type: "integer" },
  };
  const components = { schemas: { Members: { type: "object", properties: members } } };
  const check = async (answer: object) => {
    const operation = documentedJson({ $ref: "#/components/schemas/Members" });
    const tool = await compileOperation("get", "/answer", operation, components);
    const response = new Response(JSON.stringify(answer), { headers: { "content-type": "application/json" } });
    const valid = new AjvJsonSchemaValidator().getValidator({ ...tool.outputSchema })(answer).valid;
    return { valid, told: textOf(await readResponse({ tool, response })) };
  };

  test.each([
    [{ list: ["a", 5] }, "list.1: is number, not string or null"],
    [{ pair: ["a", 1, "b"] }, "pair.2: is string, not integer or null"],
    [{ pair: [1] }, "pair.0: is number, not string or null"],
    [{ map: { a: "b", c: [] } }, "map.c: is array, not string or null"],
    [{ one: {} }, "one: fits none of the alternatives"],
    [{ all: 5 }, "all: is number, not string or null"],
    [{ self: { self: { all: {} } } }, "self.self.all: is object, not string or null"],
    [{ self: "me" }, "self: is string, not object or null"],
    [{ never: 1 }, "never: is not accepted"],
    [{ whole: 1.5 }, "whole: is number, not integer or null"],
    [[], "is array, not object"],
  ])("%j is told where, and clients see it as we do", async (answer, problem) => {
    const { valid, told } = await check(answer);
    expect(valid).toBe(false);
    expect(told).toContain(`its answer is not as documented: ${problem}.\n\n`);
  });

  const everything = { list: [null, "a"], pair: ["a", 1, 2], map: { a: "b", constructor: null }, one: 1.5, all: "" };
  test.each<readonly [object]>([
    [{ ...everything, self: { self: null } }],
    [{ byPattern: { "x-a": 1, b: "c" }, toString: 5, whole: 1 }],
  ])("%j fits, and clients see it as we do", async (answer) => {
    const { valid, told } = await check(answer);
    expect(valid).toBe(true);
    expect(told).toBe(JSON.stringify(answer));
  });

  const typed = documentedJson({ type: "object", properties: { id: { type: "integer" } } });
  const answer = sends('{"id":"five"}', "application/json");

  test("29. is an error that has the answer: clients would refuse the result otherwise", async () => {
    const invocation = await api.call(answer, { operation: typed });
    expect(invocation).toMatchObject({
      outcome: "upstream_error",
      reason: "unexpected_response",
      result: { isError: true },
    });
    expect(invocation.result.structuredContent).toBeUndefined();
    expect(textOf(invocation)).toMatch(/its answer is not as documented: id: .*\.\n\n\{"id":"five"\}$/);
  });

  test("is a success for a reader who was told of no schema", async () => {
    const options = { operation: typed, lenient: true };
    expect(await api.call(answer, options)).toMatchObject({
      outcome: "success",
      result: { structuredContent: { id: "five" } },
    });
    const text = await api.call(sends("five", "text/plain"), options);
    expect(text).toEqual({ outcome: "success", result: { content: [{ type: "text", text: "five" }] } });
    expect((await api.call(sends("<p>Sign in", "text/html"), options)).result.isError).toBe(true);
    expect((await api.call(sends("{", "application/json"), options)).result.isError).toBe(true);
  });
});

describe("an output schema is there", () => {
  const json = (schema: unknown) => ({ description: "ok", content: { "application/json": { schema } } });
  const components = {
    schemas: {
      Base: { type: "object", properties: { id: {} } },
      Note: { allOf: [{ $ref: "#/components/schemas/Base" }, { properties: { text: {} } }] },
      Loop: { allOf: [{ $ref: "#/components/schemas/Loop" }] },
    },
  };
  const note = { $ref: "#/components/schemas/Note" };
  const outputs = async (responses: unknown) =>
    (await compileOperation("get", "/a", { responses }, components)).outputSchema;

  test("where several successes answer with the same one, also one that is put together", async () => {
    expect(await outputs({ 200: json(note), 201: json(note) })).toMatchObject({
      type: "object",
      allOf: [{ $ref: "#/$defs/Base" }, { properties: { text: {} } }],
    });
  });

  test.each([
    ["successes differ", { 200: json(note), 201: json({ $ref: "#/components/schemas/Base" }) }],
    ["one has none", { 200: json(note), 204: { description: "gone" } }],
    ["it is that of no object", { 200: json({ allOf: [{ type: "array" }] }) }],
    ["it is made of nothing but itself", { 200: json({ $ref: "#/components/schemas/Loop" }) }],
  ])("and not where %s", async (_, responses) => {
    expect(await outputs(responses)).toBeUndefined();
  });
});
