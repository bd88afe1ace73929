import { format } from "@cfworker/json-schema";
import { describe, expect, test } from "vitest";
import { createMessageRoom, WIDE } from "../../lib/mcp/message-room.ts";
import { readMessage } from "../../lib/mcp/read-message.ts";
import { CHECKED_FORMATS, PATTERN_INPUT_LIMIT } from "../../lib/openapi/bounded-schema.ts";
import { buildRequest } from "../../lib/openapi/request.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";
import { compile, compileOperation, opened, parameter } from "./compiled.ts";

const check = createSchemaCheck();

function numbers(length: number): number[] {
  return Array.from({ length }, (_, n) => n);
}

describe("37. arguments do not keep the check busy", () => {
  const tags = { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } };

  test("two million wrong items are one error that names the first", () => {
    const problems = check(tags, { tags: Array(2_000_000).fill(0) });
    expect(problems).toEqual([expect.stringMatching(/^tags\.0: .*"number".*"string"/)]);
    expect(check(tags, { tags: Array(99_000).fill("a") })).toEqual([]);
  });

  test("every wrong member of a map is not an error of its own", () => {
    const zones = numbers(600).map((n) => `Area/Town${n}`);
    const map = { properties: { zones: { additionalProperties: { enum: zones } } } };
    const wrong = (length: number) => ({ zones: Object.fromEntries(numbers(length).map((n) => [`m${n}`, "x"])) });
    const problems = check(map, wrong(20_000));
    expect(problems).toHaveLength(5);
    expect(problems[0]).toBe('zones.m0: does not match any of "the 600 accepted values".');
    expect(check(map, wrong(99_000))).toEqual([expect.stringMatching(/too large/)]);
    expect(check({ enum: ["a", "b"] }, "c")).toEqual(['does not match any of ["a","b"].']);
  });

  test("branches that fit at every level are given up", () => {
    const $ref = "#/$defs/node";
    const anyOf = { $ref, $defs: { node: { anyOf: [branch("x"), branch("y")] } } };
    const allOf = { $ref, $defs: { node: { properties: { next: { allOf: [{ $ref }, { $ref }] } } } } };
    const deep = numbers(90).reduce<unknown>((inner) => ({ next: inner }), {});
    for (const schema of [anyOf, allOf]) {
      expect(check(schema, deep)).toEqual([expect.stringMatching(/too large or too deeply nested to be checked/)]);
      expect(check(schema, { next: { next: { kind: "x" }, kind: "x" }, kind: "y" })).toEqual([]);
    }
  });

  test("schemas that each refer to the next twice are given up for any value", () => {
    const next = (n: number) => [{ $ref: `#/$defs/L${n}` }, { $ref: `#/$defs/L${n}` }];
    const $defs = { ...Object.fromEntries(numbers(40).map((n) => [`L${n}`, { allOf: next(n + 1) }])), L40: {} };
    for (const value of ["x", 1, null, {}]) {
      expect(check({ $ref: "#/$defs/L0", $defs }, value)).toEqual([expect.stringMatching(/too large/)]);
      expect(check({ $ref: "#/$defs/L30", $defs }, value)).toEqual([]);
    }
  });

  test("a value that is nested too deeply is refused", () => {
    const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const list = { $ref: "#/$defs/list", $defs: { list: { type: "array", items: { $ref: "#/$defs/list" } } } };
    expect(check(list, deep)).toEqual([expect.stringMatching(/too deeply nested/)]);
  });

  test("a name that is half a surrogate pair is refused", () => {
    const closed = { properties: { a: { additionalProperties: false } } };
    expect(check(closed, { a: { "\ud800": 1 } })).toEqual(["has a name that is not valid Unicode text"]);
  });

  test("names are told as the agent wrote them, and long ones are cut", () => {
    const closed = { additionalProperties: false };
    expect(check(closed, { "ä b/c~%41": 1 })).toEqual(["ä b/c~%41: is not accepted"]);
    expect(check(closed, { ["n".repeat(1_000_000)]: 1 })[0]?.length).toBeLessThan(200);
  });

  function branch(kind: string) {
    return { properties: { next: { $ref: "#/$defs/node" }, kind: { const: kind } }, required: ["kind"] };
  }
});

describe("37. unique items", () => {
  const unique = { type: "array", uniqueItems: true };

  test.each([
    [[1, "1", true, "true", null, "null", [], {}, [1], ["1"]], true],
    [[1, 2, 1], false],
    [
      [
        { a: 1, b: [2] },
        { b: [2], a: 1 },
      ],
      false,
    ],
    [
      [
        { a: 1, b: 2 },
        { a: 2, b: 1 },
      ],
      true,
    ],
    [
      [
        [1, 2],
        [2, 1],
      ],
      true,
    ],
    [["#0", []], true],
    [[0, -0], false],
  ] as const)("%j", (items, valid) => {
    expect(check(unique, items)).toEqual(valid ? [] : ["has equal items"]);
  });

  test("are asked for wherever the schema applies", () => {
    const schema = {
      properties: { refs: { $ref: "#/$defs/lists" }, both: { allOf: [unique] }, prefix: { prefixItems: [{}, unique] } },
      additionalProperties: { items: { properties: { list: unique } } },
      $defs: { lists: { type: "array", items: unique } },
    };
    expect(check(schema, { refs: [[1], [1]], both: [1], prefix: [[1, 1], [1]], other: [{ list: [1] }] })).toEqual([]);
    expect(check(schema, { refs: [[1], [1, 1]] })).toEqual(["refs.1: has equal items"]);
    expect(check(schema, { both: [1, 1] })).toEqual(["both: has equal items"]);
    expect(check(schema, { prefix: [[], [1, 1]] })).toEqual(["prefix.1: has equal items"]);
    expect(check(schema, { other: [{}, { list: [1, 1] }] })).toEqual(["other.1.list: has equal items"]);
  });

  test("take time linear in the array", () => {
    expect(growth(numbers, (items) => check(unique, items))).toBeLessThan(SUPER_LINEAR);
    const objects = (length: number) => numbers(length).map((n) => ({ same: ["a", "b"], n }));
    expect(growth(objects, (items) => check(unique, items))).toBeLessThan(SUPER_LINEAR);
  });
});

describe("37. formats and patterns of a document", () => {
  test("the formats that are checked are those of the library but url", () => {
    expect(Object.keys(format).filter((name) => !CHECKED_FORMATS.has(name))).toEqual(["url"]);
    expect(check({ format: "url" }, "no URL at all")).toEqual([]);
    expect(check({ format: "email" }, "nobody")).toEqual([expect.stringMatching(/does not match format "email"/)]);
  });

  const starts = ["", "http://", "http://a", "//", "/", "#", "P", "PT", "00:00:00.", '"', "a@", "http://[", "{", "0"];
  const repeated = [
    "a",
    "1",
    ".",
    "-",
    "/",
    "%41",
    ":",
    "@",
    "a.",
    "a-",
    "0:",
    "{a}",
    "{a,",
    "~0",
    "\\",
    " ",
    "1M",
    "?",
  ];
  test.each([...CHECKED_FORMATS])("%s takes time linear in the string", (name) => {
    for (const start of starts) {
      for (const unit of repeated) {
        const text = (length: number) => `${start}${unit.repeat(length / unit.length)}\n`;
        expect(growth(text, (value) => check({ format: name }, value))).toBeLessThan(SUPER_LINEAR);
      }
    }
  });

  test("a long string never meets a pattern", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^a+$" } } };
    expect(check(schema, { a: "a".repeat(PATTERN_INPUT_LIMIT) })).toEqual([]);
    const problem = `a: String is too long (${PATTERN_INPUT_LIMIT + 1} > ${PATTERN_INPUT_LIMIT}).`;
    expect(check(schema, { a: `${"a".repeat(PATTERN_INPUT_LIMIT)}!` })).toEqual([problem]);
    expect(check(schema, { a: "b" })).toEqual(["a: String does not match pattern."]);
    expect(check({ pattern: "^a", items: { pattern: "^b" } }, ["b", "c"])).toHaveLength(1);
  });

  test("nor does a long name, also where definitions stand beside the pattern", () => {
    const map = {
      patternProperties: { "^a+$": { $ref: "#/$defs/n" } },
      additionalProperties: false,
      $defs: { n: { type: "number" } },
    };
    expect(check(map, { aa: 1 })).toEqual([]);
    expect(check(map, { aa: "1" })).toEqual([expect.stringMatching(/^aa: .*"string"/)]);
    expect(check(map, { b: 1 })).toEqual(["b: is not accepted"]);
    expect(check(map, { [`${"a".repeat(PATTERN_INPUT_LIMIT)}!`]: 1 })).toEqual([
      expect.stringMatching(/^a{100}…: String is too long/),
    ]);
  });

  const evil = `${"a".repeat(50)}!`;
  test.each(["^(a+)+$", "^(a|a)*$", "^((a+)?b?)*$", "(?<x>[ab]*)*c", "^(a{1,20}){20}$", "^(\\(|a+)+$", "^([)]*a*)+$"])(
    "%s could take for ever and is left to the API",
    (slow) => {
      expect(check({ type: "string", pattern: slow }, evil)).toEqual([]);
      expect(check({ patternProperties: { [slow]: false }, additionalProperties: false }, { [evil]: 1 })).toEqual([]);
      const other = {
        oneOf: [{ pattern: slow }, { items: { pattern: slow } }],
        not: { patternProperties: { [slow]: {} } },
      };
      expect(check(other, evil)).toEqual([]);
      expect(check({ type: "string", pattern: slow }, 1)).toHaveLength(1);
    },
  );

  test.each([
    "^[a-z]+(-[a-z])?$",
    "^((25[0-5]|1[0-9]|[0-9])[.]){3}[0-9]$",
    "^([0-9a-f]{1,4}:){7}$",
    "^(a|b)$",
    "[(]a+[)]*",
  ])("%s is checked", (pattern) => {
    expect(check({ type: "string", pattern }, "?")).toEqual(["String does not match pattern."]);
  });

  test("a pattern with many repetitions is checked on strings that it takes little time for", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^a*a*a*a*b$" } } };
    expect(check(schema, { a: "aab" })).toEqual([]);
    expect(check(schema, { a: `${"a".repeat(200)}c` })).toEqual(["a: String does not match pattern."]);
    expect(check(schema, { a: `${"a".repeat(3_000)}c` })).toEqual([]);
    expect(check({ patternProperties: { "^a*a*a*a*b$": false } }, { aab: 1 })).toEqual([]);
  });

  test("properties that are named like keywords are properties", () => {
    const schema = {
      properties: { uniqueItems: { type: "string" }, format: { type: "string" }, pattern: { enum: [1] } },
    };
    expect(check(schema, { uniqueItems: 1 })).toEqual([expect.stringMatching(/^uniqueItems: /)]);
    expect(check(schema, { format: 1 })).toEqual([expect.stringMatching(/^format: /)]);
    expect(check(schema, { pattern: 2 })).toEqual([expect.stringMatching(/^pattern: /)]);
  });
});

describe("integers whose digits are lost on the way", () => {
  const check = createSchemaCheck();
  const id = { type: "object", properties: { id: { type: ["integer", "null"], minimum: 1 } } };

  test.each([2 ** 53, -(2 ** 53), 1e20])("%s is refused by name", (value) => {
    expect(check(id, { id: value })).toEqual([expect.stringMatching(/^id: .* than -?(9007199254740991|1)\.$/)]);
  });

  test("others are not, nor are such numbers that are no integers by their schema", () => {
    expect(check(id, { id: Number.MAX_SAFE_INTEGER })).toEqual([]);
    expect(check(id, { id: null })).toEqual([]);
    expect(check({ type: "object", properties: { id: { type: "number" } } }, { id: 1e20 })).toEqual([]);
  });
});

describe("37. messages are small", () => {
  const post = (message: unknown) => {
    const headers = { "content-type": "application/json" };
    const request = new Request("https://mcp.example/", { method: "POST", headers, body: JSON.stringify(message) });
    const sender = { identity: undefined, request: { remoteAddress: "192.0.2.1" } } as Parameters<
      typeof readMessage
    >[1];
    return readMessage(request, sender, { messageRoom: createMessageRoom(WIDE) });
  };

  test("of 20,000 values at most", async () => {
    expect(await post(Array(19_999).fill(0))).toHaveProperty("message");
    const refused = (await post(Array(20_000).fill(0))) as Response;
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      jsonrpc: "2.0",
      id: null,
      error: { code: -32600, message: "A message is nested at most 100 levels deep and has at most 20000 values." },
    });
  });
});

describe("37. names that are repeated for each entry", () => {
  const name = "n".repeat(1_000_000);
  const entries = numbers(90_000);

  test("of deep objects", async () => {
    const where = parameter("where", "query", { schema: { type: "object" }, style: "deepObject" });
    const { request } = await compileOperation("get", "/a", { parameters: [where] });
    const build = (value: unknown) => buildRequest("https://api.example", request, { where: value });
    expect(() => build({ [name]: entries })).toThrow("where: repeats names that are too long");
    expect(() => build({ a: entries })).not.toThrow();
  });

  test.each(["application/x-www-form-urlencoded", "multipart/form-data"])("of %s", async (type) => {
    const requestBody = { required: true, content: { [type]: { schema: { additionalProperties: true } } } };
    const { request } = await compileOperation("post", "/a", { requestBody });
    const build = (body: unknown) => buildRequest("https://api.example", request, { body });
    expect(() => build({ [name]: entries })).toThrow(/^body\.n{95}…: repeats names that are too long/);
    expect(() => build({ a: [1, 2] })).not.toThrow();
  });
});

describe("28. values of a path", () => {
  const requestOf = async (name: string | readonly string[]) => {
    const tool = await compileOperation("get", "/files/{name}/meta", { parameters: [parameter("name", "path")] });
    return new URL(buildRequest("https://api.example/v1", tool.request, { name }).url).pathname;
  };

  test.each([
    ["%25%32%65%25%32%65%25%32%66x", /path segments/],
    ["%252525252e%252525252e", /more than 3 times/],
    ["%25252e%25252e%25252fadmin", /path segments/],
    [`%${"25".repeat(900)}`, /more than 3 times/],
    [`%${"25".repeat(64_000)}`, /more than 2048 characters/],
    ["..;v=1", /path segments/],
    ["a/.;/b", /path segments/],
    ["a".repeat(2_049), /more than 2048 characters/],
    [Array(2_049).fill("a"), /more than 2048 characters/],
  ])("%j is refused", async (name, problem) => {
    await expect(requestOf(name)).rejects.toThrow(problem);
  });

  test.each([
    ["100%", "100%25"],
    ["100%25", "100%2525"],
    ["50% off; ...", "50%25%20off%3B%20..."],
    ["%zz%", "%25zz%25"],
    ["%2525", "%252525"],
    ["a".repeat(2_048), "a".repeat(2_048)],
  ])("%j is sent as it is", async (name, segment) => {
    expect(await requestOf(name)).toBe(`/v1/files/${segment}/meta`);
  });

  test("two that only together decode to a way up are refused", async () => {
    const parameters = [parameter("a", "path"), parameter("b", "path")];
    const tool = await compileOperation("get", "/x/{a}{b}", { parameters });
    for (const given of [
      { a: "%25252", b: "52e." },
      { a: "%252525", b: "2e." },
    ]) {
      expect(() => buildRequest("https://api.example/v1", tool.request, given)).toThrow(/^path: must not/);
    }
  });
});

describe("24. a document cannot hand the agent headers that route or identify", () => {
  const names = [
    ...[
      "X-HTTP-Method",
      "X-HTTP-Method-Override",
      "X-Method-Override",
      "X-Original-URL",
      "X-Rewrite-URL",
      "X-Client-IP",
    ],
    ...["X-Cluster-Client-IP", "True-Client-IP", "Fastly-Client-IP", "X-Forwarded", "X-Forwarded-Host", "Forwarded"],
    ...["Set-Cookie", "Cookie", "User-Agent", "Via", "Connection", "Keep-Alive", "TE", "Trailer", "Transfer-Encoding"],
    ...["Upgrade", "HTTP2-Settings", "Host", "Content-Length", "Proxy-Authorization", "CF-Connecting-IP", "X-Real-IP"],
  ];
  const listed = (name: string, required: boolean) =>
    compile({ paths: { "/a": { get: { parameters: [parameter(name, "header", { required })] } } } });

  test.each(names)("%s", async (name) => {
    const without = await listed(name, false);
    expect(without.leftOut).toEqual([]);
    expect(opened({ catalog: without }).map(({ request }) => request.parameters)).toEqual([[]]);
    expect(opened({ catalog: without })[0]?.inputSchema.properties).toEqual({});
    expect(await listed(name, true)).toMatchObject({
      tools: [],
      leftOut: [{ operation: "GET /a", reason: "unsupported parameter location" }],
    });
  });

  test("others stay", async () => {
    for (const name of [
      "X-Request-Id",
      "If-Match",
      "X-Original",
      "Idempotency-Key",
      "X-HTTP-Methods",
      "Client-IP-Note",
    ]) {
      expect(opened({ catalog: await listed(name, false) })[0]?.request.parameters.map((one) => one.name)).toEqual([
        name,
      ]);
    }
  });
});
