import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readYaml } from "../../lib/config/yaml/read.ts";

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

  test("an inline OpenAPI document keeps its braces and angle brackets", () => {
    const { document, placeholders } = read('apps:\n  - openapi:\n      spec:\n        data: "{{ env.A }} <a.b>"\n');
    expect(document).toEqual({ apps: [{ openapi: { spec: { data: "{{ env.A }} <a.b>" } } }] });
    expect(placeholders).toEqual([]);
  });

  test.each(["{{ env.1A }}", "{{ user.sub }}", "{{ env.A", "{{}}", "{{ env.A }} {{ x }}"])("%s is refused", (text) => {
    expect(errors(`a: '${text}'`)).toEqual(["1:4 found a malformed placeholder; accepted: {{ env.NAME }}"]);
  });

  test("the version keeps its spelling", () => {
    expect(read("version: 1.10").document).toEqual({ version: "1.10" });
  });

  test.each([
    ["aliases that expand without end", billionLaughs(), /too many values/],
    ["an alias inside of what it names", "a: &a [*a]", /nested too deeply/],
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
    ["a tab as indentation", "a:\n\t- b", /tab/],
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

  test("a large honest document is read in linear time", () => {
    const text = Array.from({ length: 30_000 }, (_, index) => `key${index}: ${index}`).join("\n");
    const before = performance.now();
    expect(read(text).errors).toEqual([]);
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test("syntax errors do not quote the document", () => {
    expect(errors('a: "hunter2\nb: *hunter2').join()).not.toContain("hunter2");
    expect(errors("a: hunter2: hunter2").join()).not.toContain("hunter2");
  });

  test("37. no text makes the reader throw", () => {
    const yamlish = fc.stringMatching(/^[-a-c0-2:{}[\]<>&*!|'",#? .\n]{0,80}$/);
    fc.assert(fc.property(fc.oneof(yamlish, fc.string()), (text) => Array.isArray(read(text).errors)));
  });
});

function billionLaughs(): string {
  const names = [..."abcdefghi"];
  const first = "a: &a [x,x,x,x,x,x,x,x,x]";
  return [first, ...names.slice(1).map((n, i) => `${n}: &${n} [${Array(9).fill(`*${names[i]}`).join(",")}]`)].join(
    "\n",
  );
}
