import { describe, expect, test } from "vitest";
import { utf8 } from "../../../lib/kernel/encoding.ts";
import { parseExact } from "../../../lib/upstream/wire/exact-json.ts";
import type { RewriteRules } from "../../../lib/upstream/wire/rewrite-rules.ts";
import { rewriteCut } from "./rewritten.ts";

const NAMES = ["id", "result", "error", "tools", "name", "a", "b\\u0063", 'q\\"', "é", "", "isError"];
const STRINGS = [
  '""',
  '"a"',
  '"\\u0041\\n\\\\"',
  '"€😀"',
  '"\\ud83d\\ude00"',
  `"${"x".repeat(120)}\\"${"y".repeat(90)}"`,
];
const NUMBERS = ["0", "-0", "7", "-1.50", "1e3", "1E-2", "123456789012345678901", "0.1000000000000000055", "1e999"];
const SPACES = ["", "", "", " ", "\n", "\r\n\t"];

/** Texts that say the same at every run (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

function generator(random: (below: number) => number) {
  const one = (choices: readonly string[]) => choices[random(choices.length)] as string;
  const many = (make: () => string) => Array.from({ length: random(5) }, make).join(`${one(SPACES)},${one(SPACES)}`);
  const value = (depth: number): string => {
    const kind = random(depth > 4 ? 3 : 6);
    if (kind === 0) return one(STRINGS);
    if (kind === 1) return one(NUMBERS);
    if (kind === 2) return one(["true", "false", "null"]);
    if (kind === 3) return `[${one(SPACES)}${many(() => value(depth + 1))}${one(SPACES)}]`;
    return `{${one(SPACES)}${many(() => `"${one(NAMES)}"${one(SPACES)}:${one(SPACES)}${value(depth + 1)}`)}${one(SPACES)}}`;
  };
  return () => `${one(SPACES)}${value(0)}${one(SPACES)}`;
}

const RULES: RewriteRules = {
  replace: [
    { path: ["result", "tools", "*", "name"], with: (name) => `app_${name}` },
    { path: ["*"], with: (text) => `${text}!` },
    { path: ["a"], with: (text) => `a:${text}` },
  ],
  set: [
    { path: ["id"], json: '"set"' },
    { path: ["result", "bc"], json: "[0]" },
  ],
  insert: [
    { path: ["result"], name: "a", json: '"complete"' },
    { path: [], name: "é", json: "1" },
    { path: ["tools", "*"], name: 'q"', json: "null" },
  ],
};

type Value = unknown;

/** What the rules say, done to what the text means. */
function expected(value: Value): Value {
  const map = (given: Value, change: (entry: Value) => Value) => (Array.isArray(given) ? given.map(change) : given);
  const at = (given: Value, name: string, change: (member: Value) => Value) =>
    isPlain(given) && Object.hasOwn(given, name) ? { ...given, [name]: change(given[name]) } : given;
  const insert = (given: Value, name: string, member: Value) => {
    if (!isPlain(given)) return given;
    const { [name]: _, ...others } = given;
    return { [name]: member, ...others };
  };
  const text = (change: (text: string) => string) => (given: Value) =>
    typeof given === "string" ? change(given) : given;
  let root = map(
    value,
    text((entry) => `${entry}!`),
  );
  root = at(
    root,
    "a",
    text((entry) => `a:${entry}`),
  );
  root = at(root, "id", () => "set");
  root = at(root, "tools", (tools) => map(tools, (tool) => insert(tool, 'q"', null)));
  root = at(root, "result", (result) => {
    const named = at(result, "tools", (tools) =>
      map(tools, (tool) =>
        at(
          tool,
          "name",
          text((name) => `app_${name}`),
        ),
      ),
    );
    return insert(
      at(named, "bc", () => [0]),
      "a",
      "complete",
    );
  });
  return insert(root, "é", 1);
}

function isPlain(value: Value): value is Readonly<Record<string, Value>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !("rawJSON" in value);
}

/** Members in the order in which they stand; `JSON.stringify` keeps it, as no name is a number. */
const canonical = (text: string) => JSON.stringify(parseExact(text));

describe.each([1, 2, 3, 4])("generated texts, seed %i", (seed) => {
  const random = randomFrom(seed);
  const next = generator(random);
  const cuts = (length: number) =>
    Array.from({ length: random(6) }, () => random(length + 1)).sort((one, other) => one - other);

  test("pass as they are but for line breaks, wherever they are cut", () => {
    for (let round = 0; round < 400; round++) {
      const text = next();
      const bytes = utf8(text);
      expect(rewriteCut(bytes, cuts(bytes.length), {}).text).toBe(text.replaceAll(/[\r\n]/g, " "));
    }
  });

  test("are rewritten as their values would be", () => {
    for (let round = 0; round < 400; round++) {
      const text = next();
      const bytes = utf8(text);
      const rewritten = rewriteCut(bytes, cuts(bytes.length), RULES).text;
      expect(rewritten).not.toMatch(/[\r\n]/);
      expect(canonical(rewritten), text).toBe(JSON.stringify(expected(parseExact(text))));
    }
  });

  test("damaged at one byte are refused exactly when JSON.parse refuses them", () => {
    for (let round = 0; round < 400; round++) {
      const bytes = utf8(next());
      bytes[random(bytes.length)] = random(128);
      const text = new TextDecoder().decode(bytes);
      expect(
        accepts(() => rewriteCut(bytes, cuts(bytes.length), RULES)),
        text,
      ).toBe(accepts(() => JSON.parse(text)));
    }
  });
});

function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
