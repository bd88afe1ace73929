import { describe, expect, test } from "vitest";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { artifactOf } from "../../lib/deployment/bundle.ts";
import { configurationChanges } from "../../lib/deployment/changes.ts";
import { shownDocument } from "../../lib/deployment/document.ts";
import { compile, compiled } from "../config/support.ts";

/** Each row reaches into another place of it. */
type Plain = ReturnType<typeof JSON.parse>;

const DOCUMENT = `version: "{{ env.RELEASE }}"
store: {path: ./data}
apps:
  - name: ledger
    type: mcpBridge
    openapi: {spec: {uri: "https://ledger.example/openapi.json"}}
    authorization: {inbound: {cel: "true", tools: [{name: getThing, scopes: [things]}, {name: /.*/, scopes: []}]}}
    upstream: {headers: {a.b: one, x-key: "{{ env.KEY }}", x-user: "{{ user.email }}"}}
`;
const artifact: Plain = await compiled(DOCUMENT);

function made(change: (artifact: Plain) => void): string {
  const copy = structuredClone(artifact);
  change(copy);
  return JSON.stringify(copy);
}

const NOTHING = (): void => undefined;
const opened = (text: string): ConfigurationArtifact => artifactOf({ artifact: text, revision: 1, digest: "d" });
const changesTo = (change: (artifact: Plain) => void) =>
  configurationChanges(opened(made(NOTHING)), opened(made(change)));
const inbound = ({ document }: Plain) => document.apps[0].authorization.inbound;
const INBOUND = ["apps", 0, "authorization", "inbound"];
const placeholder = (path: unknown, parts: unknown, more = {}) => ({ path, parts, line: 1, column: 1, ...more });
const ENV = [{ env: "WHO" }];

const refusal = (told: string) =>
  expect.objectContaining({ name: "BundleError", message: expect.stringContaining(told) });

describe("81. an artifact that no compiler has made is refused:", () => {
  test.each<readonly [what: string, change: (artifact: Plain) => void, told: string]>([
    [
      "a text that is filled in at a key that is not there",
      (it) => it.placeholders.push(placeholder([...INBOUND, "members"], [{ text: "any" }])),
      "apps[0].authorization.inbound.members, where the document leaves no place",
    ],
    [
      "a variable that is filled in at a key that is not there",
      (it) => it.placeholders.push(placeholder([...INBOUND, "members"], ENV)),
      "where the document leaves no place",
    ],
    [
      "a variable in the place of a value",
      (it) => it.placeholders.push(placeholder([...INBOUND, "cel"], ENV)),
      "where the document leaves no place",
    ],
    [
      "a variable in a list that is called by the text of its place",
      (it) => {
        inbound(it).cel = null;
        it.placeholders.push(placeholder(["apps", "0", "authorization", "inbound", "cel"], ENV));
      },
      "where the document leaves no place",
    ],
    [
      "a text alone in the place of a placeholder",
      (it) => {
        inbound(it).cel = null;
        it.placeholders.push(placeholder([...INBOUND, "cel"], [{ text: "true" }]));
      },
      "inbound.cel that names no variable and no secret",
    ],
    [
      "no parts",
      (it) => {
        it.placeholders[0].parts = [];
      },
      "a placeholder at version that names no variable",
    ],
    ["two for one place", (it) => it.placeholders.push({ ...it.placeholders[0], parts: ENV }), "more than one"],
    ["a placeholder that is null", (it) => it.placeholders.push(null), "placeholders[2]: "],
    ["a path that is a text", (it) => it.placeholders.push(placeholder("version", ENV)), "placeholders[2].path: "],
    ["no path", (it) => it.placeholders.push(placeholder([], ENV)), "placeholders[2].path: "],
    [
      "a part of two kinds",
      (it) => (it.placeholders[0].parts = [{ env: "A", text: "b" }]),
      "placeholders[0].parts[0]: ",
    ],
    [
      "a variable with a sentence as its name",
      (it) => (it.placeholders[0].parts = [{ env: "A }} b" }]),
      "placeholders[0].parts[0]",
    ],
    ["a position that is null", (it) => (it.positions.apps = null), "positions.apps: "],
    ["parts of no folder", (it) => (it.parts = [null]), "parts[0]: "],
    ["tools of no app", (it) => (it.catalogs.ghost = it.catalogs.ledger), 'tools or policies of "ghost"'],
    ["null as an app's tools", (it) => (it.catalogs.ledger = null), "catalogs.ledger: "],
    ["null as tools of no app", (it) => (it.catalogs.ghost = null), "catalogs.ghost: "],
    ["a tool that is null", (it) => (it.catalogs.ledger.tools = [null]), "catalogs.ledger.tools[0]: "],
    [
      "a tool without details",
      (it) => delete it.catalogs.ledger.tools[0].details,
      "catalogs.ledger.tools[0].details: ",
    ],
    ["definitions that are null", (it) => (it.catalogs.ledger.definitions = null), "catalogs.ledger.definitions: "],
    ["parts that are no texts", (it) => (it.catalogs.ledger.parts = [{}]), "catalogs.ledger.parts[0]: "],
    ["what is left out is null", (it) => (it.catalogs.ledger.leftOut = null), "catalogs.ledger.leftOut: "],
    [
      "a second tool of the same name",
      ({ catalogs: { ledger } }) => ledger.tools.unshift({ ...ledger.tools[0], details: "{}" }),
      "two tools with the name",
    ],
    ["policies of no app", (it) => (it.policies = { ghost: {} }), 'tools or policies of "ghost"'],
    ["policies that are null", (it) => (it.policies = { ledger: { opa: null } }), "policies.ledger.opa: "],
    [
      "an app whose name is no key of objects",
      (it) => {
        it.document.apps[0].name = "__proto__";
        it.catalogs = JSON.parse('{"__proto__": null}');
      },
      'tools or policies of "__proto__"',
    ],
  ])("%s", (_, change, told) => {
    expect(() => opened(made(change))).toThrow(refusal(told));
  });

  test("thousands of levels", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const text = made(NOTHING).replace('"document":{', `"document":{"deep":${deep},`);
    expect(() => opened(text)).toThrow(refusal("more than 500 levels"));
  });
});

const ORDER = "order of apps[ledger].authorization.inbound.tools";
const tool = ({ catalogs }: Plain) => catalogs.ledger.tools[0];
const details = (it: Plain, change: (details: Plain) => void) => {
  const read = JSON.parse(tool(it).details);
  change(read);
  tool(it).details = JSON.stringify(read);
};

describe("81. what changes in a configuration:", () => {
  test.each<readonly [what: string, change: (artifact: Plain) => void, paths: readonly string[]]>([
    ["nothing", NOTHING, []],
    ["the order of entries of which the first that fits decides", (it) => inbound(it).tools.reverse(), [ORDER]],
    ["an entry behind all others", (it) => inbound(it).tools.push({ name: "a" }), ["[a].name"]],
    ["an entry before others", (it) => inbound(it).tools.unshift({ name: "a" }), ["[a].name", ORDER]],
    ["an entry less", (it) => inbound(it).tools.shift(), ["[getThing].name", "[getThing].scopes[0]"]],
    [
      "a second entry of a name",
      (it) => inbound(it).tools.push({ name: "getThing", scopes: [] }),
      ["[getThing#2].name", "[getThing#2].scopes"],
    ],
    ["an entry that is named like a place", (it) => inbound(it).tools.push({ name: "0" }), ['["0"].name']],
    [
      "an entry that is named like a second one",
      (it) => inbound(it).tools.push({ name: "getThing" }, { name: "getThing#2" }),
      ["[getThing#2].name", '["getThing#2"].name'],
    ],
  ])("%s", (_, change, paths) => {
    const below = "apps[ledger].authorization.inbound.tools";
    expect(changesTo(change).map(({ path }) => path)).toEqual(
      paths.map((path) => (path === ORDER ? ORDER : below + path)),
    );
  });

  test("a document that was never JSON is the same as one that was", async () => {
    const compiling = await compile(DOCUMENT);
    if ("errors" in compiling) throw new Error("it does not compile");
    expect(configurationChanges(compiling.artifact, opened(made(NOTHING)))).toEqual([]);
  });

  test("entries of one name that change places", () => {
    const twice = (...entries: readonly object[]) =>
      opened(made((it) => (inbound(it).tools = entries.map((entry) => ({ name: "pay", ...entry })))));
    const [one, other] = [{ scopes: ["a"] }, { scopes: ["b"] }];
    expect(configurationChanges(twice(one, other), twice(other, one))).toHaveLength(2);
    expect(configurationChanges(twice(one, {}), twice({}, one))).toHaveLength(2);
  });

  test("a key is not taken for a path", () => {
    const { document } = artifact;
    const headers = (value: object) => opened(made((it) => (it.document.apps[0].upstream.headers = value)));
    const flat = { ...document.apps[0].upstream.headers };
    const { "a.b": _, ...others } = flat;
    const nested = { ...others, a: { b: "one" } };
    expect(configurationChanges(headers(flat), headers(nested)).map(({ path }) => path)).toEqual([
      'apps[ledger].upstream.headers["a.b"]',
      "apps[ledger].upstream.headers.a.b",
    ]);
    const both = (one: string, other: string) => headers({ ...nested, "a.b": one, a: { b: other } });
    expect(configurationChanges(both("1", "2"), both("2", "1"))).toHaveLength(2);
  });

  test("a value is not taken for the placeholder whose place has the same text", () => {
    const it = opened(
      made((plain) => {
        plain.document.notes = { "a.b": "evil", a: { b: null } };
        plain.placeholders.push(placeholder(["notes", "a", "b"], ENV));
      }),
    );
    expect(configurationChanges(opened(made(NOTHING)), it)).toEqual([
      { path: 'notes["a.b"]', to: '"evil"' },
      { path: "notes.a.b", to: "{{ env.WHO }}" },
    ]);
    expect(shownDocument(it).document.notes).toEqual({ "a.b": "evil", a: { b: "{{ env.WHO }}" } });
  });

  test("of a client's public key nothing is hidden, and of what else stands there all", () => {
    const key = { kty: "EC", crv: "P-256", x: "of a point", y: "and the rest", kid: "1", d: "private" };
    const client = (jwks: unknown, x = "of a point") =>
      opened(
        made((plain) => {
          plain.document.apps.push({
            ...{ type: "oidc", name: "ci", clientID: "ci" },
            credentials: { jwks, secrets: [x] },
          });
        }),
      );
    const shown = { ...key, d: "(a secret)" };
    expect(shownDocument(client([key])).document.apps).toContainEqual(
      expect.objectContaining({ credentials: { jwks: [shown], secrets: ["(a secret)"] } }),
    );
    expect(shownDocument(client({ keys: [key] })).document.apps).toContainEqual(
      expect.objectContaining({ credentials: { jwks: { keys: [shown] }, secrets: ["(a secret)"] } }),
    );
    expect(configurationChanges(client([key]), client([{ ...key, x: "another", d: "other" }]))).toEqual([
      { path: "apps[ci].credentials.jwks[0].x", from: '"of a point"', to: '"another"' },
      { path: "apps[ci].credentials.jwks[0].d", from: '"(a secret)"', to: '"(another secret)"' },
    ]);
  });

  test("of headers, one that is filled in from the caller alone is shown", () => {
    const { headers } = (shownDocument(opened(made(NOTHING))).document.apps as Plain)[0].upstream;
    expect(headers).toEqual({ "a.b": "(a secret)", "x-key": "{{ env.KEY }}", "x-user": "{{ user.email }}" });
  });

  const SHARED = { type: "object", properties: { amount: { type: "integer", maximum: 10 } } };
  const withParts = (...parts: readonly unknown[]) =>
    opened(
      made((it) => {
        it.catalogs.ledger.parts = parts.map((part) => JSON.stringify(part));
        details(it, (read) => (read.inputSchema = { $part: parts.length - 1 }));
      }),
    );

  test("what tools share, wherever it stands", () => {
    expect(configurationChanges(withParts(SHARED), withParts({ unused: 1 }, SHARED))).toEqual([
      { path: "parts of tools[ledger/2]", to: '{"unused":1}' },
    ]);
    const nested = (maximum: number) => withParts({ maximum, unit: "cent" }, { properties: { amount: { $part: 0 } } });
    expect(configurationChanges(nested(10), nested(10))).toEqual([]);
    const changes = configurationChanges(nested(10), nested(1_000));
    expect(changes).toContainEqual({ path: "parts of tools[ledger/3]", to: '{"maximum":1000,"unit":"cent"}' });
    expect(changes.map(({ path }) => path)).toContain("tools[ledger/ledger_getThing]");
  });

  test("parts that are in themselves, or no JSON, are shown as they stand", () => {
    const paths = (to: ConfigurationArtifact) => configurationChanges(withParts(SHARED), to).map(({ path }) => path);
    const endless = { properties: { $part: 0 } };
    expect(paths(withParts(endless))).toContain("parts of tools[ledger]");
    expect(paths(opened(made((it) => (it.catalogs.ledger.parts = ["no JSON"]))))).toContain("parts of tools[ledger]");
  });

  test.each<readonly [what: string, change: (catalog: Plain) => void, path: string]>([
    ["a schema of arguments", (it) => (it.definitions.input.Pay = "{}"), "input schemas of tools[ledger/Pay]"],
    ["a schema of results", (it) => (it.definitions.output.Pay = "{}"), "output schemas of tools[ledger/Pay]"],
    [
      "how calls carry their credential",
      (it) => (it.securitySchemes.key = { kind: "apiKey", in: "query", name: "k" }),
      "security schemes of tools[ledger]",
    ],
    [
      "which credential calls ask for",
      (it) => (it.security = [{ alternatives: [["key"]], count: 1, example: "x" }]),
      "security of tools[ledger]",
    ],
    [
      "where else calls go",
      (it) => (it.otherServers = [{ origin: "https://else.example", count: 1, example: "x" }]),
      "other servers of tools[ledger]",
    ],
    ["what a tool is called with", (it) => (it.tools[0].method = "DELETE"), "tools[ledger/ledger_getThing]"],
  ])("%s", (_, change, path) => {
    expect(changesTo(({ catalogs }) => change(catalogs.ledger)).map((one) => one.path)).toEqual([path]);
  });
});
