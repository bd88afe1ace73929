import { describe, expect, test } from "vitest";
import { definitionText } from "../../../lib/gateway/search/bounded-definition.ts";
import { describeTools } from "../../../lib/gateway/search/run-meta-tool.ts";
import type { JsonSchema } from "../../../lib/openapi/catalog.ts";
import { NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";

const listed = (inputSchema: JsonSchema, name = "a") => ({
  name,
  description: "Does it.",
  inputSchema,
  annotations: {},
});
const schemaOf = (text: string) => (JSON.parse(text) as { readonly inputSchema: JsonSchema }).inputSchema;
const object = (properties: JsonSchema) => ({ type: "object", properties });
const times = <T>(count: number, make: (at: number) => T) => Array.from({ length: count }, (_, at) => make(at));
const words = (length: number) => "word ".repeat(length / 5);

describe("a definition", () => {
  test("is shown as it is while it is of a usual size, but for the output schema", () => {
    const tool = listed(object({ a: { type: "string", description: words(500), title: "A" } }));
    expect(JSON.parse(definitionText({ ...tool, outputSchema: { type: "object" } }))).toEqual(tool);
  });

  test("that is too large loses words first, and says so", () => {
    const members = times(100, (at) => [`p${at}`, { type: "string", description: words(1_000), examples: ["x"] }]);
    const text = definitionText(listed(object(Object.fromEntries(members))));
    expect(text.length).toBeLessThanOrEqual(40_000);
    expect(text).toContain("The input schema is shortened");
    const { properties } = schemaOf(text) as { readonly properties: Readonly<Record<string, JsonSchema>> };
    expect(Object.keys(properties)).toHaveLength(100);
    expect(properties.p0).toEqual({ type: "string", description: `${words(80)}…` });
  });

  test("keeps arguments that are called like keywords, and values that look like schemas", () => {
    const given = { title: { type: "string" }, description: { enum: [{ title: "a", description: "b" }] } };
    const text = definitionText(listed(object({ ...given, large: { type: "string", description: words(50_000) } })));
    expect(schemaOf(text).properties).toMatchObject(given);
  });

  test("that is large without words loses what is far from its arguments, and never refers to nothing", () => {
    const many = (at: number) => ({ enum: times(1_000, (value) => `${at} ${value}`), next: ref(at + 1) });
    const ref = (at: number) => ({ $ref: `#/$defs/d${at}` });
    const $defs = Object.fromEntries(times(20, (at) => [`d${at}`, { allOf: [many(at), ref((at + 1) % 20)] }]));
    const text = definitionText(listed({ ...object({ a: ref(0) }), $defs }));
    expect(text.length).toBeLessThanOrEqual(40_000);
    const shown = schemaOf(text).$defs as Readonly<Record<string, unknown>>;
    expect(shown.d0).toMatchObject({ allOf: [{ enum: expect.arrayContaining(["0 999"]) }, ref(1)] });
    const references = [...text.matchAll(/#\/\$defs\/(d\d+)/g)].map(([, name]) => name ?? "");
    for (const name of references) expect(shown).toHaveProperty(name);
  });

  test("of which nothing would fit is at least one of an object", () => {
    const text = definitionText(listed(object({ a: { enum: times(10_000, (at) => `value ${at}`) } })));
    expect(schemaOf(text)).toEqual({ type: "object" });
  });
});

test("definitions that have no room beside others are named", async () => {
  const names = times(4, (at) => `tool${at}`);
  const located = (name: string) => {
    const tool = listed(object({ a: { enum: times(2_000, (at) => `value ${at}`) } }), name);
    return [name, { tool: { name }, app: { name: "a" }, listed: () => tool }];
  };
  const gateway = {
    tools: new Map(names.map((name) => located(name) as [string, never])),
    policies: new Map(),
    mcpProvider: {},
    organizationOf: async () => undefined,
    instanceStops: NOTHING_STOPPED,
    memberships: { areRequired: () => false, isMember: () => true },
    search: { find: async () => [], definitionOf: definitionText },
    proxies: { apps: [] },
  } as unknown as Parameters<typeof describeTools>[2];
  const caller = { identity: undefined, request: {} } as unknown as Parameters<typeof describeTools>[1];
  const { content } = await describeTools(names, caller, gateway);
  const { text } = content[0] as { readonly text: string };
  expect(text.length).toBeLessThanOrEqual(101_000);
  expect(text).toMatch(/No room is left for tool3: ask for them separately\.$/);
});
