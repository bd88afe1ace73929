import { expect, test } from "vitest";
import { invalidArgumentsText } from "../../lib/openapi/problem-sentences.ts";
import { createSchemaCheck } from "../../lib/openapi/validation.ts";

const check = createSchemaCheck();
const text = { type: "string" };

/** A flat object of arguments, as tools have. */
const comment = {
  type: "object",
  properties: { owner: text, repo: text, issue_number: { type: "integer", minimum: 1 }, body: text },
  required: ["owner", "repo"],
  additionalProperties: false,
};
const speech = {
  type: "object",
  properties: {
    input: text,
    speed: { type: "number", maximum: 4 },
    response_format: { enum: ["mp3", "wav"] },
    nested: { type: "object", properties: { a: text, b: text } },
  },
  additionalProperties: false,
};

test.each([
  ["a name with letters too many", { bodys: "x" }, ["bodys: is not accepted (did you mean body?)"]],
  [
    "names like none, the first with all that there are",
    { labels: [], 7: 1 },
    ["7: is not accepted (accepted: owner, repo, issue_number, body)", "labels: is not accepted"],
  ],
  ["a member of a wrong type", { body: 1 }, ['body: type "number" is invalid, expected "string".']],
])("%s", (_, given, told) => {
  expect(check(comment, { owner: "o", repo: "r", ...given })).toEqual(told);
});

test("every wrong argument is told at once, those that are missing first", () => {
  expect(check(comment, { issue_number: 0, body: 2, tilte: "x" })).toEqual([
    'does not have required property "owner".',
    'does not have required property "repo".',
    "issue_number: 0 is less than 1.",
    'body: type "number" is invalid, expected "string".',
    "tilte: is not accepted (accepted: owner, repo, issue_number, body)",
  ]);
  expect(check(speech, { input: "a", speed: 99, response_format: "zip", nested: { a: 1, b: 1 } })).toEqual([
    "speed: 99 is greater than 4.",
    'response_format: does not match any of ["mp3","wav"].',
    'nested.a: type "number" is invalid, expected "string".',
  ]);
});

test("of very many wrong arguments five are told, in few characters", () => {
  const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`no such argument ${at}`, at]));
  const long = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`${"n".repeat(200)}${at}`, text]));
  const problems = check({ type: "object", properties: long, additionalProperties: false }, many);
  expect(problems).toHaveLength(5);
  expect(problems.join().length).toBeLessThan(1_000);
});

test("an object that takes nothing, and one of which everything is declared to be refused, say so", () => {
  const closed = { type: "object", properties: {}, additionalProperties: false };
  expect(check(closed, { a: 1 })).toEqual(["a: is not accepted (accepted: none)"]);
  expect(check({ ...closed, properties: { a: false } }, { a: 1 })).toEqual(["a: is not accepted (accepted: none)"]);
});

test("members are known by their names also where these are odd, and through references", () => {
  const $defs = { n: { type: "integer" } };
  const odd = { type: "object", properties: { "a/b~c %41": { $ref: "#/$defs/n" }, d: { $ref: "#/$defs/n" } }, $defs };
  expect(check(odd, { "a/b~c %41": "x", d: "y" })).toEqual([
    'a/b~c %41: type "string" is invalid, expected "integer".',
    'd: type "string" is invalid, expected "integer".',
  ]);
  expect(check(odd, { d: "y", "\ud800": 1 })).toEqual(['d: type "string" is invalid, expected "integer".']);
});

test("what is wrong is one sentence", () => {
  expect(invalidArgumentsText(check(speech, { speed: 99, spede: 1 }))).toBe(
    "Invalid arguments: speed: 99 is greater than 4; spede: is not accepted (did you mean speed?)",
  );
});
