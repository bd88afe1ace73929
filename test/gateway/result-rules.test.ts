import { Validator } from "@cfworker/json-schema";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalJson } from "../../lib/kernel/canonical-json.ts";
import type { JsonObject } from "../../lib/kernel/json.ts";
import type { JsonSchema } from "../../lib/openapi/catalog.ts";
import { createMasks, newEffort } from "../../lib/tool-rules/mask.ts";
import { patternFinder } from "../../lib/tool-rules/pattern-finder.ts";
import { type ResultRule, WithheldError } from "../../lib/tool-rules/result-rule.ts";
import { prepareResults, type ResultRules } from "../../lib/tool-rules/result-rules.ts";
import { ruledResult, ruledTask } from "../../lib/tool-rules/ruled-result.ts";
import { isPassedOn, ruledSaying } from "../../lib/tool-rules/server-rules.ts";
import { parseExact } from "../../lib/upstream/wire/exact-json.ts";
import { CARD, foundAt, IBAN, pairs, pointerIn, scalarsIn } from "./schemas-with-answers.ts";

const RUNS = 10_000;
/** Code is made for each schema: one of these is as much work as a hundred of the others. */
const COMPILED = 100;
const MASKS = [
  { match: "[0-9]{16}", with: "****" },
  { match: "NL[0-9]{2}[A-Z]{4}[0-9]{10}", with: "NL**" },
  { match: "(?i)secret", with: "" },
  { match: "ab", with: "" },
];
const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false, code: { optimize: false } });
addFormats.default(ajv);

function prepared(rule: ResultRule, schema?: JsonSchema): ResultRules {
  const made = prepareResults(rule, schema);
  if ("withheld" in made) throw new Error(JSON.stringify(made.withheld));
  return made;
}

function ruled(result: JsonObject, rule: ResultRule, schema?: JsonSchema): JsonObject {
  return ruledResult(result, prepared(rule, schema), { parse: parseExact });
}

function textOf(result: JsonObject): string {
  return (result.content as readonly { readonly text: string }[]).map(({ text }) => text).join("\n");
}

const saying = (text: string): JsonObject => ({ content: [{ type: "text", text }] });

describe("73. results of tools with rules", () => {
  test("73. have nothing of what is removed or masked, and clients accept them by the shown schema where they accepted them before", () => {
    let [accepted, withheld] = [0, 0];
    fc.assert(
      fc.property(
        pairs,
        fc.array(fc.nat(), { maxLength: 2 }),
        fc.subarray(MASKS),
        fc.boolean(),
        ({ schema, value }, places, mask, isApart) => {
          const remove = places.flatMap((at) => pointerIn(value, at) ?? []);
          const made = prepareResults({ remove, mask }, schema);
          const said = JSON.stringify(isApart ? { result: value } : value);
          const answer =
            "withheld" in made ? undefined : shownOrWithheld({ ...saying(said), structuredContent: value }, made);
          if (answer === undefined || "withheld" in made) {
            withheld += 1;
            return;
          }
          const shown = answer.structuredContent;
          const text = JSON.parse(textOf(answer));
          if (!isApart && canonicalJson(text) !== canonicalJson(shown)) throw new Error("the text says something else");
          for (const one of [shown, isApart ? text.result : text]) holdsNothingOf(one, remove, mask);
          if (made.schema === undefined || !isValid(schema, value)) return;
          accepted += 1;
          if (!isValid(made.schema, shown)) throw new Error("what is shown is refused");
          if (accepted % COMPILED === 0 && isCompiledValid(schema, value) && !isCompiledValid(made.schema, shown))
            throw new Error("what is shown is refused by Ajv");
        },
      ),
      { numRuns: RUNS },
    );
    expect(accepted).toBeGreaterThan(8_000);
    expect(withheld).toBeGreaterThan(200);
  }, 120_000);

  test.each([
    ["a number of a card", "4111111111111111", '"****"'],
    ["a number that no double holds", '{"n":41111111111111112345}', '{"n":"****2345"}'],
    ["a number with an exponent", '{"n":4.111111111111111e15}', '{"n":"****"}'],
    ["a text with escapes", '{"n":"x\\u0034111111111111111"}', '{"n":"x****"}'],
    ["a member that comes twice", `{"n":"${CARD}","n":1}`, '{"n":1}'],
    ["a name", `{"${CARD}":1,"n":2}`, '{"n":2}'],
    ["JSON that is indented", `{\n  "n": "${CARD}"\n}`, '{\n  "n": "****"\n}'],
    ["JSON in a text", `Error: {"n":"4111\\u0031${CARD.slice(5)}"}`, 'Error: {"n":"****"}'],
    ["text beside what is masked", `${CARD}${CARD}, 12`, "********, 12"],
  ])("73. masks %s", (_, text, shown) => {
    expect(textOf(ruled(saying(text), { mask: [{ match: "[0-9]{16}", with: "****" }] }))).toBe(shown);
  });

  test("73. mask what links and embedded resources say, and leave out what rules cannot look into", () => {
    const uri = `https://bank.example/${CARD}`;
    const content = [
      { type: "resource_link", uri, name: CARD, description: "x", mimeType: "text/plain" },
      { type: "resource", resource: { uri, text: `of ${CARD}`, mimeType: "text/plain" } },
      { type: "resource", resource: { uri, blob: "AAAA" } },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "unheard of", what: CARD },
    ];
    const result = { content, isError: true, _meta: { note: CARD } };
    const shown = ruled(result, { mask: [{ match: "[0-9]{16}", with: "****" }] });
    expect(JSON.stringify(shown)).not.toMatch(/[0-9]{16}|AAAA/);
    expect(shown).toMatchObject({
      isError: true,
      content: [
        { type: "resource_link", uri: "https://bank.example/****", name: "****", description: "x" },
        { type: "resource", resource: { text: "of ****", mimeType: "text/plain" } },
        { type: "text", text: expect.stringContaining("binary") },
        { type: "text", text: expect.stringContaining("image") },
        { type: "text", text: expect.stringContaining("left out") },
      ],
    });
  });

  test("73. take something out of every item, and of text that says it in another shape", () => {
    const items = [{ iban: IBAN, name: "a" }, { name: "b" }];
    const rule = { remove: ["/result/*/iban"] };
    const lists = ruled({ ...saying(JSON.stringify(items)), structuredContent: { result: items } }, rule, {
      type: "object",
      properties: { result: { type: "array", items: { properties: { iban: {} } } } },
    });
    expect(lists).toEqual({
      ...saying('[{"name":"a"},{"name":"b"}]'),
      structuredContent: { result: [{ name: "a" }, { name: "b" }] },
    });
    const blocks = items.map((item) => ({ type: "text", text: JSON.stringify(item) }));
    expect(JSON.stringify(ruled({ content: blocks, structuredContent: { result: items } }, rule))).not.toContain(IBAN);
    expect(textOf(ruled(saying(JSON.stringify({ iban: 1, a: { iban: 1 } })), { remove: ["/iban"] }))).toBe(
      '{"a":{"iban":1}}',
    );
  });

  test.each([
    ["is no JSON", saying("IBAN: NL91"), "not_json"],
    ["is a quoted text", saying(JSON.stringify(IBAN)), "not_json"],
    ["has a list where a member is named", saying(JSON.stringify({ a: [{ iban: IBAN }] })), "list"],
    ["has no blocks", { content: IBAN }, "malformed"],
    ["is nested too deeply", saying(`${"[".repeat(2_000)}${"]".repeat(2_000)}`), "malformed"],
  ])("73. are withheld where something is removed and the answer %s", (_, result, why) => {
    expect(() => ruled(result, { remove: ["/a/iban"] })).toThrow(why);
  });

  test("73. of tasks are those that rules leave, and ids stay", () => {
    const rules = prepared({ remove: ["/iban"], mask: [{ match: "[0-9]{16}", with: "****" }] });
    const task = { taskId: CARD, status: "completed", statusMessage: IBAN, ttl: 60_000 };
    const result = { ...saying(JSON.stringify({ iban: IBAN, card: CARD })), isError: true };
    const reading = { parse: parseExact };
    expect(ruledTask({ ...task, result }, rules, reading)).toEqual({
      ...{ taskId: CARD, status: "completed", ttl: 60_000 },
      result: { ...saying('{"card":"****"}'), isError: true },
    });
    expect(ruledTask({ tasks: [task], nextCursor: "a" }, rules, reading)).toEqual({
      tasks: [{ taskId: CARD, status: "completed", ttl: 60_000 }],
      nextCursor: "a",
    });
  });

  test("73. of servers that ask and tell something are masked as far as neither side goes by it", () => {
    const entries = [{ result: { mask: [{ match: "[0-9]{16}", with: "****" }] } }, {}];
    const requestedSchema = { type: "object", properties: { pin: { type: "string", description: CARD } } };
    const params = { mode: "form", message: `of ${CARD}`, requestedSchema, _meta: { progressToken: CARD } };
    expect(ruledSaying({ method: "elicitation/create", params }, entries)).toEqual({
      method: "elicitation/create",
      params: {
        ...{ mode: "form", message: "of ****" },
        requestedSchema: { type: "object", properties: { pin: { type: "string", description: "****" } } },
        _meta: { progressToken: CARD },
      },
    });
    const logged = { method: "notifications/message", params: { level: "info", data: { type: CARD } } };
    expect(ruledSaying(logged, entries)).toMatchObject({ params: { level: "info", data: { type: "****" } } });
    expect(isPassedOn(logged, entries)).toBe(true);
    expect(isPassedOn(logged, [...entries, { result: { remove: ["/a"] } }])).toBe(false);
    const progress = { method: "notifications/progress", params: { progressToken: CARD, progress: Number(CARD) } };
    expect(isPassedOn(progress, entries)).toBe(false);
    expect(isPassedOn({ ...progress, params: { ...progress.params, progress: 1 } }, entries)).toBe(true);
  });

  test("73. are withheld where masking takes too much", () => {
    const rule = { mask: [{ match: "a.*b|a", with: "*" }] };
    expect(() => ruled(saying("a".repeat(100_000)), rule)).toThrow("too_costly");
  });

  test("73. loosen only what masks may touch", () => {
    const schema = {
      type: "object",
      properties: {
        card: { type: "string", pattern: "^[0-9]+$", maxLength: 16 },
        iban: { type: "string" },
        kind: { enum: ["a", CARD] },
        sum: { type: "number", minimum: 0 },
        owner: { $ref: "#/$defs/owner" },
      },
      required: ["card", "iban"],
      additionalProperties: false,
      $defs: { owner: { type: "object", properties: { iban: { type: "string" } }, required: ["iban"] } },
    };
    expect(
      prepared({ remove: ["/iban", "/owner/iban"], mask: [{ match: "[0-9]{16}", with: "****" }] }, schema).schema,
    ).toEqual({
      type: "object",
      properties: {
        card: { type: "string" },
        kind: { enum: ["a", "****"] },
        sum: { type: ["number", "string"], minimum: 0 },
        owner: { $ref: "#/$defs/owner.1" },
      },
      required: ["card"],
      additionalProperties: false,
      $defs: { "owner.1": { type: "object", properties: {}, required: [] } },
    });
    const { schema: shown } = prepared({ mask: [{ match: "[A-Z]{4}", with: "" }] }, schema);
    expect(shown).toMatchObject({ properties: { sum: { type: "number" } } });
  });

  test("73. follow schemas that refer to themselves and to their parts", () => {
    const node = {
      type: "object",
      properties: { iban: { type: "string" }, next: { $ref: "#" }, twin: { $ref: "#/properties/iban" } },
      required: ["iban"],
    };
    const { schema } = prepared({ remove: ["/iban", "/next/iban"] }, node);
    const rest = { twin: "a", next: { next: { iban: "b" } } };
    expect(isCompiledValid(schema as JsonSchema, rest)).toBe(true);
    expect(isCompiledValid(schema as JsonSchema, { next: { next: {} } })).toBe(false);
  });

  test("73. take no time for schemas that refer to each other again and again", () => {
    const names = Array.from({ length: 60 }, (_, at) => `d${at}`);
    const twice = (name: string) => ({ $ref: `#/$defs/${name}` });
    const $defs = Object.fromEntries(
      names.map((name, at) => {
        const next = twice(names[at + 1] ?? name);
        return [name, { anyOf: [next, next], properties: { a: next, b: next }, additionalProperties: next }];
      }),
    );
    const schema = { type: "object", ...twice("d0"), $defs };
    const remove = ["/*/a/*/never", "/a/*/b/x", "/b/*/*/y"];
    const mask = [{ match: "[0-9]{16}", with: "" }];
    expect(JSON.stringify(prepareResults({ remove, mask }, schema)).length).toBeLessThan(1_000_000);
  });

  test("73. are masked by what a pattern of RE2 finds", () => {
    const patterns = ["[0-9]{3}", "a+?b", "ab|a", "x(?:y|z)*", "\\bcat\\b", "^a", "b$", "(?i)ab+", "[^a]b"];
    const text = fc.array(fc.constantFrom(..."abcxyz019 Acat😀"), { maxLength: 20 }).map((all) => all.join(""));
    fc.assert(
      fc.property(fc.constantFrom(...patterns), text, (pattern, given) => {
        const [flags, source] = pattern.startsWith("(?i)") ? ["giu", pattern.slice(4)] : ["gu", pattern];
        const expected = [...given.matchAll(new RegExp(source, flags))].map(({ index, 0: { length } }) => [
          index,
          index + length,
        ]);
        const found: number[][] = [];
        const { find } = patternFinder(pattern);
        for (let at = find(given, 0, free); at !== undefined; at = find(given, at.end, free))
          found.push([at.start, at.end]);
        expect(found).toEqual(expected);
      }),
      { numRuns: 2_000 },
    );
    expect(createMasks([{ match: "ab", with: "" }]).text("aaaaaabbbbbb", newEffort())).toBe("");
  });
});

function free(): void {
  // Nothing is counted.
}

function shownOrWithheld(result: JsonObject, rules: ResultRules): JsonObject | undefined {
  try {
    return ruledResult(result, rules, { parse: JSON.parse });
  } catch (error) {
    if (error instanceof WithheldError) return undefined;
    throw error;
  }
}

function holdsNothingOf(value: unknown, remove: readonly string[], mask: typeof MASKS): void {
  for (const pointer of remove)
    if (foundAt(value, pointer.slice(1).split("/")).length > 0) throw new Error(`${pointer} is left`);
  const scalars = scalarsIn(value).map(String);
  for (const { match } of mask) {
    const pattern = match.startsWith("(?i)") ? new RegExp(match.slice(4), "i") : new RegExp(match);
    if (scalars.some((one) => pattern.test(one))) throw new Error(`what ${match} matches is left`);
  }
}

function isValid(schema: JsonSchema, value: unknown): boolean {
  return new Validator(schema, "2020-12").validate(value).valid;
}

function isCompiledValid(schema: JsonSchema, value: unknown): boolean {
  const valid = ajv.compile(schema)(value);
  ajv.removeSchema(schema);
  return valid;
}
