import { describe, expect, test } from "vitest";
import * as z from "zod";
import { documentSchema } from "../../lib/config/schema/document.ts";
import { innerOf, isMarked } from "../../lib/config/schema/secrecy.ts";
import { mistakes } from "./support.ts";

interface Place {
  readonly name: string;
  readonly schema: z.core.$ZodType;
  /** The document with a value at the place, and around it what leads there. */
  readonly document: (value: unknown) => unknown;
}

/** Every place of the document in which a secret belongs, at any depth. */
function placesWithSecrets(place: Place): readonly Place[] {
  const below = placesBelow(place).flatMap(placesWithSecrets);
  return isMarked(place.schema) || below.length > 0 ? [place, ...below] : [];
}

function placesBelow({ name, schema, document }: Place): readonly Place[] {
  const inner = innerOf(schema);
  if (inner !== undefined) return [{ name, schema: inner, document }];
  if (schema instanceof z.ZodUnion) return schema.options.map((option) => ({ name, schema: option, document }));
  if (schema instanceof z.ZodArray) {
    return [{ name: `${name}[]`, schema: schema.element, document: (value) => document([value]) }];
  }
  if (schema instanceof z.ZodRecord) {
    return [{ name: `${name}.*`, schema: schema.valueType, document: (value) => document({ a: value }) }];
  }
  if (!(schema instanceof z.ZodObject)) return [];
  const kind = schema.shape.type instanceof z.ZodLiteral ? { type: schema.shape.type.value } : {};
  return Object.entries(schema.shape).map(([key, below]) => ({
    name: `${name}.${key}`,
    schema: below as z.core.$ZodType,
    document: (value) => document({ ...kind, [key]: value }),
  }));
}

const PLACES = new Map(
  placesWithSecrets({ name: "", schema: documentSchema, document: (value) => value }).map((place) => [
    place.name,
    place,
  ]),
);

const VALUES = [
  "hunter2",
  "setupToken:hunter2",
  "name: hunter2",
  "hunter2 {{ env.A }}",
  ["hunter2"],
  [["hunter2"]],
  { "setupToken:hunter2": null },
  { "name:hunter2": { "value:hunter2": 1 } },
  { "hunter2:{{ x }}": "hunter2{{ x }}" },
];

describe("10. what may be a secret is not quoted", () => {
  test("there are places to look at", () => {
    expect([...PLACES.keys()]).toEqual(
      expect.arrayContaining(["", ".console", ".oidcProvider.apiClients", ".connectors[]", ".apps[].upstream"]),
    );
  });

  test.each([...PLACES])("in the place of a section or a secret: %s", async (_, { document }) => {
    for (const value of VALUES) {
      expect((await mistakes(JSON.stringify(document(value)))).join("\n"), JSON.stringify(value)).not.toContain(
        "hunter2",
      );
    }
  });

  test.each([
    ["console:\n  setupToken:hunter2", "2:3: console: found text", "a mapping of keys", "setupToken"],
    ["oidcProvider:\n  apiClients:\n    idSecret:hunter2", "3:5: oidcProvider.apiClients: found text", "", "idSecret"],
    ["connectors:\n  - name:hunter2", "2:5: connectors[0]: found text", "a mapping of keys", "name"],
    ["console: {setupToken:hunter2}", "1:11: console: unknown key", "", "setupToken"],
    ["apps: [{type: oidc, credentials: {secrets:hunter2}}]", "1:35: apps[0].credentials: unknown key", "", "secrets"],
  ])("%j asks for the missing space", async (text, place, accepted, key) => {
    const found = (await mistakes(text)).join("\n");
    expect(found).toContain(place);
    expect(found).toContain(accepted);
    expect(found).toContain(`; is a space missing after "${key}:"?`);
    expect(found).not.toContain("hunter2");
  });

  test.each([
    ["the line belongs to the value above it", "console:\n  enabled: true\n    setupToken:hunter2"],
    ["it stands below a key that is not known", "consol: {setupToken:hunter2, setupToken:hunter2}"],
    ["it stands twice", "console: {setupToken:hunter2, setupToken:hunter2}"],
    ["a header's name lost its space", "apps: [{type: mcpBridge, upstream: {headers: {X-Key:hunter2}}}]"],
    ["a scheme's name lost its space", "apps: [{type: mcpBridge, upstream: {auth: {apiKey:hunter2}}}]"],
    ["a secret stands where its key belongs", "apps: [{type: oidc, credentials: {hunter2}}]"],
    ["it stands beside a placeholder", "console: 'setupToken:hunter2{{ env.A }}'"],
  ])("also where %s", async (_, text) => {
    const found = await mistakes(text);
    expect(found.length).toBeGreaterThan(1);
    expect(found.join("\n")).not.toContain("hunter2");
  });

  test("a mistyped key in the middle of secrets is still named", async () => {
    const found = await mistakes(
      "version: 1\napps: [{type: oidc, name: a, clientID: b, credentials: {secrts: [hunter2]}}]",
    );
    expect(found.join("\n")).toContain('apps[0].credentials.secrts: unknown key; did you mean "secrets"?');
  });

  test("text in the place of a section without secrets is quoted", async () => {
    expect(await mistakes("version: 1\nlogger: level:info")).toEqual([
      '2:9: logger: found "level:info"; accepted: a mapping of keys; is a space missing after "level:"?',
    ]);
  });
});
