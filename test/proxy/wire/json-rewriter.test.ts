import { describe, expect, test } from "vitest";
import { utf8 } from "../../../lib/kernel/encoding.ts";
import { createJsonRewriter, rewriteText } from "../../../lib/upstream/wire/json-rewriter.ts";
import type { RewriteRules } from "../../../lib/upstream/wire/rewrite-rules.ts";
import { cut, everyByte, pushAll, rewriteCut } from "./rewritten.ts";

const NO_RULES: RewriteRules = {};

describe("what no rule is about", () => {
  test("passes byte for byte: order, numbers, escapes, doubled members, white space", () => {
    const text =
      ' {"b":12345678901234567890,"a":1.0e400, "a" : [-0, 0.10 ,\t1E+2],"\\u0061":"\\u00e9é\\/\\"😀","":{},"x":[ ] , "t":[true,false,null]} ';
    expect(rewriteText(text, NO_RULES)).toBe(text);
    expect(rewriteCut(utf8(text), everyByte(utf8(text).length), NO_RULES).text).toBe(text);
  });

  test("fits one line: line breaks outside of strings become spaces, those escaped in strings stay", () => {
    const text = '{\r\n  "a": "x\\n\\r",\n  "b": [\n    1,\r2\n  ]\n}\n';
    const expected = text.replaceAll(/[\r\n]/g, " ");
    expect(rewriteText(text, NO_RULES)).toBe(expected);
    expect(rewriteCut(utf8(text), everyByte(text.length), NO_RULES).text).toBe(expected);
  });

  test("passes without a copy", () => {
    const rewriter = createJsonRewriter(NO_RULES);
    rewriter.push(utf8('{"result":{"data":"'));
    const chunk = utf8("QUJD".repeat(1_000));
    expect(rewriter.push(chunk).buffer === chunk.buffer).toBe(true);
  });

  test("passes though it is no UTF-8: that is its reader's matter", () => {
    const bytes = new Uint8Array([0x22, 0xff, 0xc3, 0x22]);
    expect(createJsonRewriter(NO_RULES).push(bytes)).toEqual(bytes);
  });

  test.each(["1", "-0.5e-7", '"text"', "true", "null", "[]", "{}", " 0 "])("may be any value: %s", (text) => {
    expect(rewriteText(text, NO_RULES)).toBe(text);
  });
});

describe("replace", () => {
  const rules: RewriteRules = {
    replace: [
      { path: ["result", "tools", "*", "name"], with: (name) => `app_${name}` },
      { path: ["result", "uri"], with: (uri) => uri },
    ],
  };

  test("changes strings at the path, with `*` for each entry, and nothing else", () => {
    const text =
      '{"name":"a","result":{"tools":[{"name":"a","x":{"name":"b"}},{"name":"q\\u0022é\\n"},{"name":7},["name"],{"names":"c"}],"name":"a"}}';
    expect(rewriteText(text, rules)).toBe(
      '{"name":"a","result":{"tools":[{"name":"app_a","x":{"name":"b"}},{"name":"app_q\\"é\\n"},{"name":7},["name"],{"names":"c"}],"name":"a"}}',
    );
  });

  test("finds members whose names are written with escapes", () => {
    expect(rewriteText('{"res\\u0075lt":{"tools":[{"\\u006eame":"a"}]}}', rules)).toBe(
      '{"res\\u0075lt":{"tools":[{"\\u006eame":"app_a"}]}}',
    );
  });

  test("keeps the spelling of what the function leaves as it is", () => {
    const text = '{"result":{"uri":"file:\\/\\/\\u0061"}}';
    expect(rewriteText(text, rules)).toBe(text);
  });

  test("keeps surrogates that stand alone", () => {
    expect(rewriteText('{"result":{"tools":[{"name":"\\ud800"}]}}', rules)).toBe(
      '{"result":{"tools":[{"name":"app_\\ud800"}]}}',
    );
  });

  test("does not look at strings above 64 KiB, however they are cut", () => {
    const text = (length: number) => `{"result":{"tools":[{"name":"${"n".repeat(length)}"},{"name":"a"}]}}`;
    const [fits, doesNot] = [text(65_534), text(65_535)];
    expect(rewriteText(fits, rules)).toContain('"app_nnn');
    const passed = doesNot.replace('"a"', '"app_a"');
    expect(rewriteText(doesNot, rules)).toBe(passed);
    expect(rewriteCut(utf8(doesNot), [100, 40_000, 65_000, 65_570], rules).text).toBe(passed);
  });
});

describe("set", () => {
  const rules: RewriteRules = {
    set: [
      { path: ["id"], json: '"app/7"' },
      { path: ["result", "_meta"], json: '{"a":1}' },
    ],
  };

  test.each(["1", '"one"', "null", '{"id":[1,{"id":2}]}', '[[],"]"]', "-1.5e7"])("takes the place of %s", (value) => {
    const text = `{"a":1,"id": ${value} ,"result":{"_meta" :${value}},"b":{"id":${value}}}`;
    const expected = `{"a":1,"id": "app/7" ,"result":{"_meta" :{"a":1}},"b":{"id":${value}}}`;
    expect(rewriteText(text, rules)).toBe(expected);
    expect(rewriteCut(utf8(text), everyByte(text.length), rules).text).toBe(expected);
  });

  test("may be the whole text", () => {
    expect(rewriteText(" [1,2] ", { set: [{ path: [], json: "{}" }] })).toBe(" {} ");
  });
});

describe("insert", () => {
  const rules: RewriteRules = {
    insert: [
      { path: ["result"], name: "resultType", json: '"complete"' },
      { path: ["result"], name: "ttlMs", json: "0" },
      { path: ["result", "list", "*"], name: "x", json: "[1]" },
    ],
  };
  const both = '"resultType":"complete","ttlMs":0';

  test.each([
    ['{"result":{}}', `{"result":{${both}}}`],
    ['{"result":{"a":1}}', `{"result":{${both},"a":1}}`],
    ['{"result":{"a":1,"b":{}}}', `{"result":{${both},"a":1,"b":{}}}`],
    ['{"result":{"ttlMs":5}}', `{"result":{${both}}}`],
    ['{"result":{"ttlMs":{"a":[1,{}]},"a":1,"resultType":"x"}}', `{"result":{${both},"a":1}}`],
    ['{"result":{"a":1,"ttlMs":5,"\\u0074tlMs":6,"b":2}}', `{"result":{${both},"a":1,"b":2}}`],
    ['{"result":[]}', '{"result":[]}'],
    ['{"result":1,"ttlMs":2}', '{"result":1,"ttlMs":2}'],
    ['{"result":{"list":[{"x":0,"y":{"x":1}},{}]}}', `{"result":{${both},"list":[{"x":[1],"y":{"x":1}},{"x":[1]}]}}`],
  ])("%s", (text, expected) => {
    expect(rewriteText(text, rules)).toBe(expected);
    expect(rewriteCut(utf8(text), everyByte(text.length), rules).text).toBe(expected);
  });

  test("keeps white space, and members with names that are too long to be looked at", () => {
    const name = "n".repeat(70_000);
    const text = `{"result":{ "a" : 1 , "${name}" : 2,\n"ttlMs":3 }}`;
    const parsed = JSON.parse(rewriteText(text, rules));
    expect(parsed.result).toEqual({ resultType: "complete", ttlMs: 0, a: 1, [name]: 2 });
  });
});

test("rules within what another rule leaves out do nothing", () => {
  const rules: RewriteRules = {
    set: [{ path: ["a"], json: "0" }],
    replace: [{ path: ["a", "b"], with: () => "no" }],
    insert: [
      { path: ["a"], name: "c", json: "1" },
      { path: [], name: "d", json: "2" },
      { path: ["d"], name: "e", json: "3" },
    ],
  };
  expect(rewriteText('{"a":{"b":"x"},"d":{"b":1},"f":4}', rules)).toBe('{"d":2,"a":0,"f":4}');
});

describe("facts", () => {
  const factsOf = (text: string) => rewriteCut(utf8(text), everyByte(text.length), NO_RULES).facts;

  test("of a result", () => {
    expect(factsOf('{"jsonrpc":"2.0","id":"a","result":{"isError":true,"resultType":"complete"}}')).toEqual({
      isAnswer: true,
      id: "a",
      hasResult: true,
      hasError: false,
      isError: true,
      resultType: "complete",
    });
  });

  test("of an error", () => {
    expect(factsOf('{"error":{"message":"m","code":-32602,"data":{"code":1}},"id":-7,"jsonrpc":"2.0"}')).toEqual({
      isAnswer: true,
      id: -7,
      hasResult: false,
      hasError: true,
      isError: false,
      errorCode: -32602,
    });
  });

  test("are those of members themselves, not of others by the same names", () => {
    const text =
      '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"isError":true},"isError":"true"},"x":{"error":{"code":1}}}';
    expect(factsOf(text)).toMatchObject({ isError: false, hasError: false });
  });

  test("are those of the last of doubled members, as for JSON.parse", () => {
    const text = '{"jsonrpc":"2.0","id":1,"result":{"isError":true},"id":{"id":3},"result":{}}';
    expect(factsOf(text)).toEqual({ isAnswer: false, hasResult: true, hasError: false, isError: false });
  });

  test("are of what the upstream wrote, not of what the rules make of it", () => {
    const { facts } = rewriteCut(utf8('{"id":1,"result":{"resultType":"old"}}'), [], {
      set: [{ path: ["id"], json: "2" }],
      insert: [{ path: ["result"], name: "resultType", json: '"new"' }],
    });
    expect(facts).toMatchObject({ id: 1, resultType: "old" });
  });

  test.each([
    '{"id":1,"result":{}}',
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"jsonrpc":"2.0","result":{}}',
    '{"jsonrpc":"2.0","id":1.5,"result":{}}',
    '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
    '{"jsonrpc":"2.0","id":1,"result":[]}',
    '{"jsonrpc":"2.0","id":1,"method":"a","result":{}}',
    '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}',
    "[]",
    '"result"',
  ])("tell that this is no answer: %s", (text) => {
    expect(factsOf(text).isAnswer).toBe(false);
  });
});

describe("what is no JSON", () => {
  const BROKEN = [
    "",
    " ",
    "{",
    "[",
    "}",
    "]",
    "[1",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{,}",
    '{"a"}',
    '{"a":}',
    '{"a":1,}',
    '{"a" 1}',
    "{a:1}",
    "{1:1}",
    "[1}",
    '{"a":1]',
    "1 2",
    "{}{}",
    "[]]",
    "tru",
    "truth",
    "nul",
    "True",
    "NaN",
    "Infinity",
    "undefined",
    "'a'",
    "01",
    "-",
    "-01",
    "1.",
    ".5",
    "+1",
    "1e",
    "1e+",
    "1.e5",
    "1e5.5",
    "0x1",
    "1.5.5",
    "--1",
    "1-",
    '"',
    '"\\"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u123"',
    '"a\nb"',
    '"a\rb"',
    '"a\u0000b"',
    '"\t"',
    '{"a\nb":1}',
    "/* */1",
    "\ufeff1",
    "\u00a01",
    "[1]x",
    "\f1",
    "{]",
    "[)",
  ];

  test.each(BROKEN)("ends in an error: %j", (text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    const bytes = utf8(text);
    for (const cuts of [[], everyByte(bytes.length)]) {
      expect(() => rewriteCut(bytes, cuts, NO_RULES)).toThrow(expect.objectContaining({ reason: "broken_json" }));
    }
  });

  test("says where", () => {
    expect(() => rewriteCut(utf8('{"a":1,]'), [3, 5], NO_RULES)).toThrow("byte 7");
  });

  test("so is what has more than 1,000 levels", () => {
    const nested = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
    expect(rewriteText(nested(1_000), NO_RULES)).toBe(nested(1_000));
    expect(() => rewriteText(nested(1_001), NO_RULES)).toThrow("more than 1000 levels");
  });
});

test("a control character is found wherever it stands in a long string", () => {
  const plain = utf8(`"${"aé€😀".repeat(40)}"`);
  for (let at = 1; at < plain.length - 1; at++) {
    for (const byte of [0x00, 0x0a, 0x1f]) {
      const broken = plain.slice();
      broken[at] = byte;
      expect(() => pushAll(createJsonRewriter(NO_RULES), cut(broken, [at % 3])), `${at}`).toThrow(`byte ${at} `);
    }
  }
});
