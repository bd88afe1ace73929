import { describe, expect, test } from "vitest";
import { compile, compileOperation, jsonBody, opened, parameter } from "./compiled.ts";

const object = (properties: unknown, more: object = {}) => ({ type: "object", properties, ...more });

async function bodyOf(schema: unknown, schemas: Readonly<Record<string, unknown>> = {}) {
  const tool = await compileOperation(
    "post",
    "/a",
    { requestBody: jsonBody({ type: "array", items: schema }) },
    { schemas },
  );
  const { properties, $defs = {} } = tool.inputSchema as {
    readonly properties: { readonly body: { readonly items: unknown } };
    readonly $defs?: Readonly<Record<string, unknown>>;
  };
  return { items: properties.body.items, $defs };
}

describe("references", () => {
  test("lead anywhere in the document, also over a reference on the way", async () => {
    const catalog = await compile({
      paths: {
        "/a": { get: { parameters: [parameter("first", "query", { schema: { type: "integer" } })] } },
        "/b": { get: { parameters: [{ $ref: "#/paths/~1a/get/parameters/0" }] } },
        "/c": {
          get: { parameters: [parameter("x", "query", { schema: { $ref: "#/paths/~1a/get/parameters/0/schema" } })] },
        },
        "/d": {
          get: {
            parameters: [parameter("x", "query", { schema: { $ref: "#/components/schemas/Alias/properties/n" } })],
          },
        },
      },
      components: {
        schemas: { Alias: { $ref: "#/components/schemas/Real" }, Real: object({ n: { type: "integer" } }) },
      },
    });
    const names = opened({ catalog }).map(({ inputSchema }) => Object.keys(inputSchema.properties as object));
    expect(names).toEqual([["first"], ["first"], ["x"], ["x"]]);
    expect(
      opened({ catalog })
        .slice(2)
        .map(({ inputSchema }) => inputSchema.$defs),
    ).toEqual([{ schema: { type: "integer" } }, { n: { type: "integer" } }]);
  });

  test("stand for parameters, bodies, responses, headers, media types, path items and lists of parameters", async () => {
    const schema = object({ name: { type: "string" } });
    const catalog = await compile({
      paths: { "/a": { $ref: "#/components/pathItems/A", summary: "ours" } },
      components: {
        pathItems: {
          A: {
            parameters: { $ref: "#/components/x-lists/shared" },
            post: {
              requestBody: { $ref: "#/components/requestBodies/B" },
              responses: { 200: { $ref: "#/components/responses/R" } },
            },
          },
        },
        "x-lists": { shared: [{ $ref: "#/components/parameters/P" }] },
        parameters: { P: parameter("page", "query") },
        requestBodies: { B: { $ref: "#/components/requestBodies/C" }, C: jsonBody({ $ref: "#/components/schemas/S" }) },
        responses: {
          R: { description: "", content: { "application/json": { schema: { $ref: "#/components/schemas/S" } } } },
        },
        schemas: { S: schema },
      },
    });
    const [tool] = opened({ catalog });
    expect(tool?.inputSchema.properties).toMatchObject({ page: { type: "string" }, name: { type: "string" } });
    expect(tool?.outputSchema).toMatchObject({ properties: { name: {} } });
  });

  test("have siblings, which hold as well", async () => {
    const { items } = await bodyOf({ $ref: "#/components/schemas/S", maxLength: 3 }, { S: { type: "string" } });
    expect(items).toEqual({ $ref: "#/$defs/S", maxLength: 3 });
  });

  test("by $anchor, $id and the name of the document are pointers in the end", async () => {
    const schema = object({
      anchor: { $ref: "#place" },
      id: { $ref: "https://schemas.example/address" },
      inside: { $ref: "https://schemas.example/address#/$defs/code" },
      relative: { $ref: "zip" },
      urn: { $ref: "urn:example:age" },
      self: { $ref: "https://api.example/openapi#/components/schemas/Age" },
    });
    const schemas = {
      Place: { $anchor: "place", type: "boolean" },
      Address: {
        $id: "https://schemas.example/address",
        ...object({ code: { $ref: "#/$defs/code" }, age: { $ref: "#/components/schemas/Age" } }),
        $defs: { code: { type: "number" } },
      },
      Zip: { $id: "zip", type: "null" },
      Age: { $id: "urn:example:age", type: "integer" },
    };
    const catalog = await compile({
      openapi: "3.2.0",
      $self: "https://api.example/openapi",
      paths: { "/a": { post: { requestBody: jsonBody(schema) } } },
      components: { schemas },
    });
    expect(opened({ catalog })[0]?.inputSchema).toMatchObject({
      properties: {
        anchor: { $ref: "#/$defs/Place" },
        id: { $ref: "#/$defs/Address" },
        inside: { $ref: "#/$defs/code" },
        relative: { $ref: "#/$defs/Zip" },
        urn: { $ref: "#/$defs/Age" },
        self: { $ref: "#/$defs/Age" },
      },
      $defs: { Address: { properties: { code: { $ref: "#/$defs/code" }, age: { $ref: "#/$defs/Age" } } } },
    });
    expect(JSON.stringify(opened({ catalog }))).not.toMatch(/\$(id|anchor|self)"/);
  });

  test("that are dynamic lead to the one schema that can be meant, else to anything", async () => {
    const node = (name: string) => ({ $dynamicAnchor: name, ...object({ child: { $dynamicRef: `#${name}` } }) });
    const one = await bodyOf({ $ref: "#/components/schemas/Tree" }, { Tree: node("node") });
    expect(one.$defs).toMatchObject({ Tree: { properties: { child: { $ref: "#/$defs/Tree" } } } });
    const schemas = { Tree: node("node"), Other: { $dynamicAnchor: "node", type: "string" } };
    const several = await bodyOf({ $ref: "#/components/schemas/Tree" }, schemas);
    expect(several.$defs).toMatchObject({ Tree: { properties: { child: {} } } });
    expect(JSON.stringify(several)).not.toContain("dynamic");
  });

  test("in examples and other data are none", async () => {
    const data = { $ref: "https://not.example/there" };
    const { items } = await bodyOf({ type: "object", default: data, enum: [data], example: data, examples: [data] });
    expect(items).toEqual({ type: "object", default: data, enum: [data] });
  });
});

describe("members that only the API sets", () => {
  const id = { type: "string", readOnly: true };

  test("are no input where allOf or a reference brings them, and never required", async () => {
    const schemas = {
      Id: id,
      Base: object(
        { id, at: { allOf: [{ $ref: "#/components/schemas/Id" }] }, name: {} },
        { required: ["id", "name"] },
      ),
      Needs: { required: ["id", "name"] },
    };
    const { items, $defs } = await bodyOf(
      {
        required: ["id", "extra"],
        properties: { extra: {}, id: { description: "again" } },
        allOf: [{ $ref: "#/components/schemas/Base" }, { $ref: "#/components/schemas/Needs" }, { required: ["at"] }],
        anyOf: [{ required: ["id"] }, { required: ["name"] }],
      },
      schemas,
    );
    expect(items).toEqual({
      required: ["extra"],
      properties: { extra: {} },
      allOf: [{ $ref: "#/$defs/Base" }, { allOf: [{ required: ["name"] }] }, {}],
      anyOf: [{}, { required: ["name"] }],
    });
    expect($defs.Base).toEqual({ type: "object", properties: { name: {} }, required: ["name"] });
  });

  test("are no input in a schema that contains itself", async () => {
    const Node = object({ id, next: { $ref: "#/components/schemas/Node" } }, { required: ["id"] });
    const { $defs } = await bodyOf({ $ref: "#/components/schemas/Node" }, { Node });
    expect($defs).toEqual({ Node: object({ next: { $ref: "#/$defs/Node" } }) });
  });
});
