import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadConfiguration } from "../../infra/node/load-configuration.ts";
import { validate } from "../../lib/config/validate.ts";
import { decodeYaml } from "../../lib/config/yaml/decode.ts";
import { readYaml } from "../../lib/config/yaml/read.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";

const read = (text: string) => readYaml(text, "a.yaml");
const errors = (text: string) => read(text).errors.map(({ line, column, message }) => `${line}:${column} ${message}`);

describe("YAML", () => {
  test("placeholders are recognised in any scalar, with their positions", () => {
    const { document, placeholders } = read('a: "x{{ env.A }}y"\nb:\n  - {{ env.B }}\n  - <ns.key>\n  - a<b>\n');
    expect(document).toEqual({ a: null, b: [null, null, "a<b>"] });
    expect(placeholders).toEqual([
      { path: ["a"], parts: [{ text: "x" }, { env: "A" }, { text: "y" }], line: 1, column: 4 },
      { path: ["b", 0], parts: [{ env: "B" }], line: 3, column: 5 },
      { path: ["b", 1], parts: [{ secret: "ns.key" }], line: 4, column: 5 },
    ]);
  });

  test("a secret can be a part of a text where the schema wants secrets, and nowhere else", () => {
    const app = {
      description: "see <a.b> there",
      upstream: {
        headers: { A: "Bearer <a.b>", B: "<https://x.example>; rel=a" },
        auth: { one: { value: "k=<a.b>;" } },
      },
    };
    const { placeholders, errors } = read(JSON.stringify({ apps: [{ type: "mcpBridge", ...app }] }));
    expect(errors).toEqual([]);
    expect(placeholders.map(({ path, parts }) => [path.at(-1), parts])).toEqual([
      ["A", [{ text: "Bearer " }, { secret: "a.b" }]],
      ["value", [{ text: "k=" }, { secret: "a.b" }, { text: ";" }]],
    ]);
    const both = read('connectors: [{oauthClientSecret: "{{ env.A }} <a.b>{{ env.A }}"}]').placeholders;
    expect(both.map(({ parts }) => parts)).toEqual([[{ env: "A" }, { text: " " }, { secret: "a.b" }, { env: "A" }]]);
  });

  test("an inline OpenAPI document keeps its braces and angle brackets", () => {
    const { document, placeholders } = read('apps:\n  - openapi:\n      spec:\n        data: "{{ env.A }} <a.b>"\n');
    expect(document).toEqual({ apps: [{ openapi: { spec: { data: "{{ env.A }} <a.b>" } } }] });
    expect(placeholders).toEqual([]);
  });

  test.each([
    "{{ env.1A }}",
    "{{ ENV.A }}",
    "{{ userx.sub }}",
    "{{ env.A",
    "{{ {{ env.A }}",
    "{{}}",
    "{{ env.A }} {{ x }}",
  ])("%s is refused", (text) => {
    expect(errors(`a: '${text}'`)).toEqual(["1:4 found a malformed placeholder; accepted: {{ env.NAME }}"]);
  });

  test("texts of policies keep theirs", () => {
    const inbound = { cel: "{{ a }}", opa: { rego: "<a.b>" }, rules: [{ cel: "<a.b>" }, { opa: { rego: "{{ a }}" } }] };
    const document = { apps: [{ authorization: { inbound } }] };
    expect(read(JSON.stringify(document))).toMatchObject({ document, placeholders: [], errors: [] });
  });

  test("the version keeps its spelling", () => {
    expect(read("version: 1.10").document).toEqual({ version: "1.10" });
  });

  test.each([
    ["aliases that expand without end", billionLaughs(), /too many values/],
    ["an alias inside of what it names", "a: &a [*a]", /nested too deeply/],
    ["an alias of something below", "a: *x\nb: &x 1", /names no anchor/],
    ["aliases of aliases that double", doubling(), /too many values/],
    ["deep nesting", `a: ${"[".repeat(300)}${"]".repeat(300)}`, /nested too deeply/],
    ["nesting beyond the stack", "[".repeat(100_000), /nested too deeply|malformed|missing/],
    ["more than a megabyte", `a: ${"x".repeat(1_048_577)}`, /accepted: at most 1048576/],
    ["a key named __proto__", "__proto__: {a: 1}", /not allowed/],
    ["a key that stands twice", "a: 1\na: 2", /same key twice/],
    ["a number as key", "1: a", /not text/],
    ["a mapping as key", "? {a: 1}\n: b", /not text/],
    ["a tag of the language", "a: !!binary aGk=", /tag/],
    ["a tag of somebody's own", "a: !run x", /tag/],
    ["two documents", "a: 1\n---\nb: 2", /more than one/],
    ["nothing", "# empty\n", /empty/],
    ["nothing but a mark of a document", "---\n", /empty/],
    ["null", "~", /empty/],
    ["a tab as indentation", "a:\n\t- b", /tab/],
    ["another version of YAML", "%YAML 1.1\n---\na: yes", /directive %YAML 1.1; accepted: 1.2/],
    ["a key of a thousand characters", `${"k".repeat(1_000)}: 1`, /key of 1000 characters; accepted: at most 128/],
    ["a key of more than the parser takes", `${"k".repeat(2_000)}: 1`, /more than 1024 characters/],
    ["a long key in its long form", `? ${"k".repeat(9_000)}\n: 1`, /key of 9000 characters/],
    ["lists in lists without end", "- ".repeat(100_000), /nested too deeply/],
    ["mappings as keys without end", "? ".repeat(100_000), /nested too deeply/],
    ["half of a surrogate pair", "a: \ud83d", /U\+D83D/],
  ])("%s is refused with a position", (_, text, message) => {
    const found = read(text).errors;
    expect(found.length).toBeGreaterThan(0);
    expect(found.some((error) => message.test(error.message) && error.line >= 1 && error.column >= 1)).toBe(true);
  });

  test("a tag hides neither a duplicate key nor a malformed placeholder", () => {
    expect(errors("a: !run x\nb: 1\nb: 2\nc: '{{ x }}'")).toEqual([
      "1:9 found a tag; tags are not supported",
      "3:1 found the same key twice",
      "4:4 found a malformed placeholder; accepted: {{ env.NAME }}",
    ]);
    expect(errors("!run a: 1")).toEqual([expect.stringMatching(/^1:1 .*tags are not supported$/)]);
  });

  test("syntax errors do not quote the document", () => {
    expect(errors('a: "hunter2\nb: *hunter2').join()).not.toContain("hunter2");
    expect(errors("a: hunter2: hunter2").join()).not.toContain("hunter2");
  });

  const NOT_CLOSED = "invalid YAML: [ ] or { } that is not closed";
  const NOT_INDENTED = ", or whose lines are not indented";

  test.each([
    ["a: 1\nlogger: {level: info\nhealth: {}\n", `2:9 ${NOT_CLOSED}${NOT_INDENTED}`],
    ["a: 1\nx: [1, 2\n", `2:4 ${NOT_CLOSED}${NOT_INDENTED}`],
    ["a: 1\nx: [1, [2]", `2:4 ${NOT_CLOSED}${NOT_INDENTED}`],
    ["a: [\n  {b: 1,\n  {c: 2}\n]\n", `2:3 ${NOT_CLOSED}${NOT_INDENTED}`],
    ['{"openapi": "3.0.0", "paths": {}\n', `1:1 ${NOT_CLOSED}`],
    ["[".repeat(30), `1:30 ${NOT_CLOSED}${NOT_INDENTED}`],
    ['a: 1\nlogger: "abc\nb: 2\n', `2:9 invalid YAML: text in quotes that is not closed${NOT_INDENTED}`],
    ["a: 1\nlogger: 'abc", `2:9 invalid YAML: text in quotes that is not closed${NOT_INDENTED}`],
    [
      "a:\n  - b: 1\n   c: 2\n",
      "3:1 invalid YAML: a line in a list that neither begins with - nor is indented like the keys of an item",
    ],
    ["a:\n  b: 1\n  setupToken:hunter2\n", "3:3 invalid YAML: a key without a colon, or without a space after that"],
    ["http:\n  a: 1\n b: 2\n", "3:1 invalid YAML: indentation that fits no level"],
  ])("%j is told once, where it begins", (text, message) => {
    expect(errors(text)).toEqual([message]);
  });

  test("brackets that are nested beyond the stack are one mistake", () => {
    expect(errors("[".repeat(100_000))).toEqual([expect.stringMatching(/^1:\d+ invalid YAML: nested too deeply$/)]);
  });

  test("37. no text makes the reader throw", () => {
    const yamlish = fc.stringMatching(/^[-a-c0-2:{}[\]<>&*!|'",#? .\n]{0,80}$/);
    fc.assert(fc.property(fc.oneof(yamlish, fc.string()), (text) => Array.isArray(read(text).errors)));
  });
});

describe("what each request brings", () => {
  const header = (value: string) => read(`apps: [{upstream: {headers: {X-A: ${JSON.stringify(value)}}}}]`);

  test.each([
    "{{ user.sub }}",
    "{{user.https://claims.example/role}}",
    "{{ agent.clientID }}",
    "{{ request.id }}",
    "Bearer {{ user.sub }}/{{ agent.clientID }}",
  ])("%s stands in a header as it is", (value) => {
    expect(header(value)).toMatchObject({
      document: { apps: [{ upstream: { headers: { "X-A": value } } }] },
      placeholders: [],
      errors: [],
    });
  });

  test("stands beside the environment", () => {
    expect(header("{{ env.A }}-{{ user.sub }}-{{ env.B }}!").placeholders).toMatchObject([
      { parts: [{ env: "A" }, { text: "-{{ user.sub }}-" }, { env: "B" }, { text: "!" }] },
    ]);
  });

  test("may stand without quotes", () => {
    const { document, errors: found } = read("apps: [{upstream: {headers: {X-A: {{ user.sub }}}}}]");
    expect(found).toEqual([]);
    expect(document).toEqual({ apps: [{ upstream: { headers: { "X-A": "{{ user.sub }}" } } }] });
  });

  test.each([
    "{{ agent.clientId }}",
    "{{ request.body }}",
    "{{ user }}",
    "{{ user. }}",
    "{{ users.sub }}",
    "{{ user.sub }",
  ])("%s is none of it", (value) => {
    expect(header(value).errors.map(({ message }) => message)).toEqual([
      "found a malformed placeholder; accepted: {{ env.NAME }}, {{ user.CLAIM }}, {{ agent.clientID }}, {{ request.id }}",
    ]);
  });

  test.each(["{{ user.sub }}", "{{ agent.clientID }}", "{{ request.id }}"])("%s stands nowhere else", (value) => {
    expect(errors(`a: '${value}'`)).toEqual([
      "1:4 found a placeholder for what each request brings; accepted: {{ env.NAME }} here, that one in upstream.headers and fix only",
    ]);
    expect(errors(`apps: [{upstream: {auth: {X-A: '${value}'}}}]`)).toHaveLength(1);
  });
});

describe("anchors", () => {
  test("an alias is what stands behind the last anchor of its name before it", () => {
    expect(read("a: &x 1\nb: *x\nc: &x 2\nd: *x").document).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  test("a placeholder behind an anchor is one at every place", () => {
    const { document, placeholders } = read("a: &x {{ env.A }}\nb: *x");
    expect(document).toEqual({ a: null, b: null });
    expect(placeholders.map(({ path }) => path)).toEqual([["a"], ["b"]]);
  });
});

describe("merge keys", () => {
  test("bring the keys of another mapping; the own ones win", () => {
    const text = "a: &base {x: 1, y: {z: 2}}\nb: {<<: *base, x: 3}\nc:\n  x: 4\n  <<: *base\n";
    expect(read(text)).toMatchObject({
      document: { a: { x: 1, y: { z: 2 } }, b: { x: 3, y: { z: 2 } }, c: { x: 4, y: { z: 2 } } },
      errors: [],
    });
  });

  test("bring those of several, of which the first wins, and of what these bring", () => {
    const text = "a: &a {x: 1}\nb: &b {<<: *a, x: 2, y: 2}\nc: {<<: [*b, {y: 3, z: 3}]}";
    expect(read(text)).toMatchObject({ document: { c: { x: 2, y: 2, z: 3 } }, errors: [] });
  });

  test("leave what they bring where it is written", () => {
    const { positions, placeholders } = read("a: &a\n  x: {{ env.X }}\nb:\n  <<: *a\n");
    expect(positions["b.x"]).toEqual([2, 6]);
    expect(placeholders).toMatchObject([
      { path: ["a", "x"], line: 2 },
      { path: ["b", "x"], line: 2 },
    ]);
  });

  test("are keys like others in quotes", () => {
    expect(read('a: {"<<": 1}').document).toEqual({ a: { "<<": 1 } });
  });

  test.each([
    [
      "something else",
      "a: {<<: 1}",
      /1:5 .*without a mapping; accepted: a mapping, an alias of one, or a list of them/,
    ],
    ["a list in a list", "a: {<<: [[{b: 1}]]}", /without a mapping/],
    ["nothing", "a: {<<: }", /without a mapping/],
    ["two of them", "a: {<<: {b: 1}, <<: {c: 1}}", /1:17 found the same key twice/],
    ["a key that is not allowed", "a: {<<: {__proto__: 1}}", /not allowed/],
    ["itself", "a: &a {<<: *a, b: 1}", /a chain of merge keys/],
    ["mappings without end", mergedWithoutEnd(), /too many values/],
  ])("that bring %s are refused", (_, text, message) => {
    expect(errors(text).join()).toMatch(message);
  });
});

describe("the text of a file", () => {
  const decode = (...parts: readonly (string | readonly number[])[]) =>
    decodeYaml(Buffer.concat(parts.map((part) => Buffer.from(part as string))), "a.yaml");

  test("may begin with a byte order mark and end its lines in two ways", () => {
    const decoded = decode([0xef, 0xbb, 0xbf], "a: é\r\nb:\r\n  - 1\n");
    expect(decoded).toEqual({ text: "a: é\r\nb:\r\n  - 1\n" });
    expect(read("\uFEFFa: 1\r\nb: x\r\n")).toMatchObject({ document: { a: 1, b: "x" }, errors: [] });
    expect(errors("a: 1\r\n\r\nb: '{{ x }}'\r\n")).toEqual([expect.stringMatching(/^3:4 found a malformed/)]);
  });

  test("is UTF-8; other bytes are told with their place", () => {
    const found = decode("a: é1\nb: «x» ", [0xe9], "y\nc: ", [0xff]);
    expect(found).toEqual({
      errors: [
        { file: "a.yaml", line: 2, column: 8, path: "", message: "found bytes that are not UTF-8; accepted: UTF-8" },
      ],
    });
  });

  test("is told from other bytes where a configuration is loaded", async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-bytes-"));
    try {
      const file = join(folder, "a.yaml");
      await writeFile(file, Buffer.from("version: 1\n# caf\u00e9\n", "latin1"));
      await expect(loadConfiguration(file)).rejects.toThrow(
        "a.yaml:2:6: found bytes that are not UTF-8; accepted: UTF-8",
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.each([
    [0xff, 0xfe],
    [0xfe, 0xff],
  ])("is not UTF-16 (%i %i)", (...mark) => {
    expect(decode(mark, [0x61, 0x00])).toMatchObject({ errors: [{ message: "found UTF-16 text; accepted: UTF-8" }] });
  });

  test.each([
    ["\u0000", "U+0000"],
    ["\u001B", "U+001B"],
    ["\u007F", "U+007F"],
    ["\u0090", "U+0090"],
    ["\uFFFE", "U+FFFE"],
  ])("holds no control characters (%j)", (character, name) => {
    expect(errors(`a: 1\nb: x${character}y`)).toEqual([
      `2:5 found the character ${name}; accepted: printable text, or an escape in double quotes`,
    ]);
    expect(read(`a: "\\u0000\\e"`).errors).toEqual([]);
  });

  test("holds tabs between tokens, emoji and what is behind the last ASCII character", () => {
    expect(read("a:\t1\nb: 😀\u0085ü").errors).toEqual([]);
  });
});

describe("names of the prototype", () => {
  test.each(["constructor", "toString", "hasOwnProperty", "prototype"])("%s is a key like others", (key) => {
    const { document } = read(`${key}: {${key}: 1}\nb: {c: 1}`);
    expect(Object.keys(document as object)).toEqual([key, "b"]);
    expect(read(`a: {<<: {${key}: 1}}`).document).toEqual({ a: { [key]: 1 } });
  });
});

/** An eighth of the lengths of `growth`: the parser takes its time. */
const SHARE = 1 / 8;

/** Texts of a length that grows: none takes time that grows faster. */
const LONG: Readonly<Record<string, (length: number) => string>> = {
  keys: (length) => lines(length, (index) => `key${index}: ${index}`),
  "keys that stand twice": (length) => "a: 1\n".repeat(length),
  "one long line": (length) => `a: ${"x ".repeat(length)}`,
  "an open quote": (length) => `a: "${"x\n ".repeat(length)}`,
  "empty lines": (length) => `${"\n".repeat(length)}a: 1`,
  comments: (length) => `${"# x\n".repeat(length)}a: 1`,
  "open brackets": (length) => "[".repeat(length),
  "closed brackets": (length) => "]".repeat(length),
  dashes: (length) => "- ".repeat(length),
  tags: (length) => lines(length, (index) => `k${index}: !x${index} y`),
  anchors: (length) => lines(length, (index) => `k${index}: &a${index} y`),
  aliases: (length) => `a: &x 1\nb: [${"*x, ".repeat(length * 3)}]`,
  merges: (length) => `a: &x {c: 1}\n${lines(length, (index) => `k${index}: {<<: *x}`)}`,
  "open placeholders": (length) => `a: '${"{{".repeat(length * 50)}'`,
  placeholders: (length) => `a: '${"{{ env.A }}".repeat(length)}'`,
  "placeholders of requests": (length) => `apps: [{upstream: {headers: {a: '${"{{ user.a }}".repeat(length)}'}}}]`,
};

describe("time grows with the text and not faster", () => {
  test.each(Object.entries(LONG))("for %s", { timeout: 120_000 }, (_, text) => {
    expect(
      growth(
        (length) => text(length * SHARE),
        (long) => read(long),
      ),
    ).toBeLessThan(SUPER_LINEAR);
  });

  test("for a whole configuration of nothing but mistakes", { timeout: 120_000 }, async () => {
    const text = (length: number) => `version: 1\n${lines(length, (index) => `htpp${index}: {a: [b]}`)}`;
    const wrong = (length: number) => readYaml(text(length * SHARE), "a.yaml").document;
    const check = (document: unknown) => validate(document, { unresolved: new Set(), written: new Map() });
    expect(growth(wrong, check)).toBeLessThan(SUPER_LINEAR);
  });
});

function lines(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

/** Each list holds the one before it twice. */
function doubling(): string {
  return lines(40, (index) => `k${index}: &k${index} ${index === 0 ? "[x]" : `[*k${index - 1}, *k${index - 1}]`}`);
}

/** Each mapping merges the one before it nine times, and none has a key of its own. */
function mergedWithoutEnd(): string {
  return lines(12, (index) => `k${index}: &k${index} {${index === 0 ? "" : `<<: [${`*k${index - 1}, `.repeat(9)}]`}}`);
}

function billionLaughs(): string {
  const names = [..."abcdefghi"];
  const first = "a: &a [x,x,x,x,x,x,x,x,x]";
  return [first, ...names.slice(1).map((n, i) => `${n}: &${n} [${Array(9).fill(`*${names[i]}`).join(",")}]`)].join(
    "\n",
  );
}
