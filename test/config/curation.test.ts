import { describe, expect, test } from "vitest";
import { compiled, mistakes } from "./support.ts";

const app = (openapi: string, more = "") =>
  `version: 1\napps: [{name: a, type: mcpBridge, openapi: {spec: {uri: "https://a.example/o"}, ${openapi}}${more}}]`;

/** Documents with one mistake, its place below `apps[0]`, and words that must come back. */
const BROKEN: readonly (readonly [what: string, yaml: string, path: string, message: string])[] = [
  [
    "an operation that is not there",
    app("include: [getThing, getThign]"),
    "openapi.include[1]",
    'found "getThign", which matches no operation; did you mean "getThing"?',
  ],
  [
    "a path that is not there",
    app("exclude: [GET /thing]"),
    "openapi.exclude[0]",
    'found "GET /thing", which matches no operation; did you mean "GET /things"?',
  ],
  [
    "an expression that matches only a part",
    app("exclude: [/get/]"),
    "openapi.exclude[0]",
    'found "/get/", which matches no operation; see `countersign tools`',
  ],
  [
    "an expression that is none",
    app("include: ['/[b-a]/']"),
    "openapi.include[0]",
    "/a valid regular expression/; this one has: range out of order in character class",
  ],
  ["nothing that is left", app("exclude: [getThing]"), "openapi", "leave no operation of the OpenAPI document"],
  ["a pattern of the environment", app("include: ['{{ env.A }}']"), "openapi.include[0]", "found a placeholder"],
  [
    "a pattern of a secret",
    app("exclude: [<a.b>]"),
    "openapi.exclude[0]",
    "accepted: a value that is known at build time",
  ],
  [
    "an override of no tool",
    app("overrides: {getThings: {name: b}}"),
    "openapi.overrides.getThings",
    'is the name of no tool of this app; did you mean "getThing"?',
  ],
  [
    "a description of the environment",
    app("overrides: {getThing: {description: 'Of {{ env.A }}'}}"),
    "openapi.overrides.getThing.description",
    "found a placeholder",
  ],
  [
    "an annotation of the environment",
    app("overrides: {getThing: {annotations: {readOnlyHint: '{{ env.A }}'}}}"),
    "openapi.overrides.getThing.annotations.readOnlyHint",
    "found a placeholder",
  ],
  [
    "an annotation that is none",
    app("overrides: {getThing: {annotations: {readonlyHint: true}}}"),
    "openapi.overrides.getThing.annotations.readonlyHint",
    'unknown key; did you mean "readOnlyHint"?',
  ],
  [
    "an annotation of another kind",
    app("overrides: {getThing: {annotations: {destructiveHint: sometimes}}}"),
    "openapi.overrides.getThing.annotations.destructiveHint",
    "accepted: true or false",
  ],
  [
    "a name without letters",
    app("overrides: {getThing: {name: ''}}"),
    "openapi.overrides.getThing.name",
    "text that is not empty",
  ],
  [
    "protection by a name that was overridden",
    app(
      "overrides: {getThing: {name: fetch_it}}",
      ", authorization: {inbound: {tools: [{name: getThing, scopes: [a]}]}}",
    ),
    "authorization.inbound.tools[0].name",
    'found "getThing", which matches no tool of this app; did you mean "fetch_it"?',
  ],
];

describe("curation refuses", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`apps[0].${path}: `);
    expect(found[0]).toContain(message);
  });

  const inline = (document: string, openapi: string) =>
    `version: 1\napps: [{name: a, type: mcpBridge, openapi: {baseURL: "https://a.example", spec: {data: '${document}'}, ${openapi}}}]`;
  const twoOperations = JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Two", version: "1" },
    paths: { "/a": { get: { operationId: "a", responses: {} } }, "/b": { get: { operationId: "b", responses: {} } } },
  });

  test("two tools of one name, at each that is renamed", async () => {
    expect(await mistakes(inline(twoOperations, "overrides: {a: {name: c}, b: {name: c}}"))).toEqual([
      expect.stringContaining("apps[0].openapi.overrides.a.name: is the name of another tool of this app"),
      expect.stringContaining("apps[0].openapi.overrides.b.name: is the name of another tool of this app"),
    ]);
    expect(await mistakes(inline(twoOperations, "overrides: {a: {name: b}}"))).toHaveLength(1);
    expect(await mistakes(inline(twoOperations, "overrides: {a: {name: b}, b: {name: a}}"))).toEqual([]);
  });

  test("a mistyped pattern beside the mistakes of the document that it was to leave out", async () => {
    const broken = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Broken", version: "1" },
      paths: { "/a": { get: { operationId: "brokenOne", parameters: [{ $ref: "#/gone" }] } } },
    });
    const found = await mistakes(inline(broken, "exclude: [borkenOne]"));
    expect(found).toEqual([
      expect.stringContaining("the OpenAPI document is invalid"),
      expect.stringContaining('found "borkenOne", which matches no operation; did you mean "brokenOne"?'),
    ]);
  });
});

test("curation decides on what is in the artifact", async () => {
  const { catalogs } = await compiled(
    app(
      "include: [/get.*/], exclude: [], overrides: {getThing: {name: fetch_it, annotations: {openWorldHint: true}}}",
      ", authorization: {inbound: {tools: [{name: fetch_it, scopes: [a]}]}}",
    ),
  );
  expect(catalogs.a?.tools).toMatchObject([
    { name: "a_fetch_it", localName: "fetch_it", annotations: { readOnlyHint: true, openWorldHint: true } },
  ]);
});
