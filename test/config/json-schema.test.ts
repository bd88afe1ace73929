import { readFileSync } from "node:fs";
import { Validator } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { documentJsonSchema, publishedSchema } from "../../lib/config/json-schema.ts";

const root = new URL("../../", import.meta.url);
const schema = new Validator(publishedSchema(documentJsonSchema()), "2020-12", false);
const accepts = (document: unknown) => schema.validate(document).valid;

describe("the JSON Schema for editors", () => {
  test.each(["examples/quickstart/countersign.yaml", "examples/edge/countersign.yaml"])("accepts %s", (path) => {
    expect(schema.validate(parse(readFileSync(new URL(path, root), "utf8"))).errors).toEqual([]);
  });

  test("accepts a placeholder wherever a scalar stands, also a number, a boolean or a choice", () => {
    expect(accepts({ version: "{{ env.VERSION }}", logger: { level: "{{ env.LEVEL }}" } })).toBe(true);
    expect(accepts({ version: "1", console: { enabled: "<console.enabled>" } })).toBe(true);
  });

  test.each([
    ["an unknown key", { version: "1", helth: {} }],
    ["an unknown key further down", { version: "1", http: { adress: ":8080" } }],
    ["another type", { version: "1", logger: { jsonOutput: "often" } }],
    ["a value that is none of the choices", { version: "1", logger: { level: "loud" } }],
    ["an app of an unknown kind", { version: "1", apps: [{ type: "soap", name: "a" }] }],
    ["a document without its version", { health: {} }],
  ])("refuses %s", (_, document) => {
    expect(accepts(document)).toBe(false);
  });

  test("holds nothing but JSON Schema", () => {
    expect(JSON.stringify(publishedSchema(documentJsonSchema()))).not.toMatch(/"(accepted|secret)":/);
  });
});
