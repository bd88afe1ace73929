import { describe, expect, test } from "vitest";
import { entryField, pickField } from "../../lib/secrets/field.ts";

describe("a reference to a store of named entries", () => {
  test.each([
    ["name", { entry: "name" }],
    ["ns.key", { entry: "ns", field: "key" }],
    ["certificates.tls.key", { entry: "certificates", field: "tls.key" }],
    ["team/ns.key", { entry: "team/ns", field: "key" }],
  ])("<%s> is %j", (reference, entry) => {
    expect(entryField(reference)).toEqual(entry);
  });
});

describe("the text of an entry", () => {
  test.each([
    ["as it stands", '{"a":1}', undefined, { value: '{"a":1}' }],
    ["a field that is text", '{"a":"x"}', "a", { value: "x" }],
    ["a field that is a number", '{"a":5432.5}', "a", { value: "5432.5" }],
    ["a field that is a boolean", '{"a":false}', "a", { value: "false" }],
    ["nothing", "", undefined, { reason: "is empty" }],
    ["a field of what is no JSON", "hunter2", "a", { reason: "is no JSON object with a field a" }],
    ["a field of a list", "[1]", "a", { reason: "is no JSON object with a field a" }],
    ["a field that is not there", "{}", "a", { reason: "has no field a" }],
    ["a field of every object", "{}", "constructor", { reason: "has no field constructor" }],
    ["a field that is null", '{"a":null}', "a", { reason: "has no field a" }],
    ["a field that is empty", '{"a":""}', "a", { reason: "has nothing in its field a" }],
    ["a field that is an object", '{"a":{}}', "a", { reason: "has neither text, number nor boolean in its field a" }],
    [
      "a number that parsing changed",
      '{"a":12345678901234567890}',
      "a",
      { reason: "has neither text, number nor boolean in its field a" },
    ],
  ])("gives %s", (_, text, field, picked) => {
    expect(pickField(text, field)).toEqual(picked);
  });
});
