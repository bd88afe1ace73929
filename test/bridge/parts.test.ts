import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { Catalog, JsonSchema } from "../../lib/openapi/catalog.ts";
import { type UnwrittenTool, writeCatalog } from "../../lib/openapi/catalog-texts.ts";
import { createEqualValues } from "../../lib/openapi/documents/equal-values.ts";
import { createOpenTool } from "../../lib/openapi/open-tool.ts";

const LONG = { type: "string", description: "An argument that many operations of the document have in common." };

describe("what the tools of a catalog have in common", () => {
  test("is written once, whether tools or definitions have it", () => {
    const { parts, tools, definitions } = catalogOf([schema({ a: LONG }), schema({ b: LONG })], { Kept: LONG });
    expect(parts).toEqual([JSON.stringify(LONG)]);
    expect(tools.map(({ details }) => JSON.parse(details).inputSchema.properties)).toEqual([
      { a: { $part: 0 } },
      { b: { $part: 0 } },
    ]);
    expect(definitions.input.Kept).toBe(JSON.stringify(LONG));
  });

  test("is the same object in every tool that was opened", () => {
    const [one, other] = opened([schema({ a: LONG }), schema({ b: LONG })]);
    expect(properties(one).a).toBe(properties(other).b);
    expect(properties(one).a).toEqual(LONG);
  });

  test("stays where it is when it is short", () => {
    expect(catalogOf([schema({ a: { type: "string" } }), schema({ a: { type: "string" } })]).parts).toEqual([]);
  });

  test("is not mistaken for a document's own words", () => {
    const odd = [{ $part: 0 }, { $part: 7 }, { $part: { $part: 0 } }, { $part: "0" }, { $part: 1, more: 2 }];
    const schemas = odd.map((value) => schema({ a: { default: value, enum: odd, const: { $part: -1 } } }));
    expect(opened(schemas)).toEqual(schemas);
  });

  test("comes back as it was, whatever it is", () => {
    assert(
      property(jsonValue(), jsonValue(), (one, other) => {
        const schemas = [one, other, one, { $part: 1, one }].map((value) => schema({ a: { default: value } }));
        expect(opened(schemas)).toEqual(JSON.parse(JSON.stringify(schemas)));
      }),
    );
  });
});

function schema(properties: JsonSchema): JsonSchema {
  return { type: "object", properties };
}

function properties({ properties }: JsonSchema = {}): JsonSchema {
  return properties as JsonSchema;
}

function opened(schemas: readonly JsonSchema[]): readonly JsonSchema[] {
  const catalog = JSON.parse(JSON.stringify(catalogOf(schemas))) as Catalog;
  return catalog.tools.map(createOpenTool(catalog)).map(({ inputSchema }) => inputSchema);
}

function catalogOf(schemas: readonly JsonSchema[], definitions: Readonly<Record<string, JsonSchema>> = {}): Catalog {
  const catalog = {
    tools: schemas.map((inputSchema, index) => toolOf(`tool${index}`, inputSchema)),
    definitions: { input: new Map(Object.entries(definitions)), output: new Map() },
    securitySchemes: {},
    leftOut: [],
  };
  return writeCatalog(catalog, createEqualValues());
}

function toolOf(name: string, inputSchema: JsonSchema): UnwrittenTool {
  const details = { inputSchema, request: { parameters: [], accept: "*/*" } };
  return { name, localName: name, method: "GET", path: `/${name}`, annotations: {}, details };
}
