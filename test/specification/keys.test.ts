import { describe, expect, test } from "vitest";
import { documentJsonSchema } from "../../lib/config/json-schema.ts";
import { mistakes, resolved } from "../config/support.ts";
import { SPECIFIED_KEYS, type SpecifiedKey } from "./keys.ts";

type Mutable = Record<string, unknown>;

const NAME = "main";
const steps = (key: string) => key.replaceAll("[]", ".0").replace("<name>", NAME).split(".");
const place = (key: string) => key.replaceAll("[]", "[0]").replace("<name>", NAME);

/** The document of all keys, with one of them changed, or absent when `changed` has it as undefined. */
function documentWith(changed: Readonly<Record<string, unknown>> = {}): string {
  const document: Mutable = {};
  for (const { key, value } of SPECIFIED_KEYS) put(document, steps(key), key in changed ? changed[key] : value);
  return JSON.stringify(document);
}

test("all keys of the specification at once are a document that loads", async () => {
  const { warnings } = await resolved(documentWith());
  expect(warnings.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    expect.stringMatching(/^apps\[0\]\.policies\[0\]: everybody who can sign in at corporate may use it/),
  ]);
});

describe.each(named(SPECIFIED_KEYS))("the key %s", (key, { wrong, isRequired, missingAt = place(key) }) => {
  test("refuses what it does not take, where it stands", async () => {
    const found = await mistakes(documentWith({ [key]: wrong }));
    expect(found.filter((line) => line.includes(` ${place(key)}`))).toHaveLength(1);
  });

  test(isRequired ? "is required" : "may be left out", async () => {
    const found = await mistakes(documentWith({ [key]: undefined }));
    expect(found.filter((line) => line.includes(` ${missingAt}: `))).toHaveLength(isRequired ? 1 : 0);
    if (!isRequired) expect(found).toEqual([]);
  });
});

const withDefault = SPECIFIED_KEYS.filter(({ standard }) => standard !== undefined);

describe.each(named(withDefault))("the key %s", (key, { standard }) => {
  test("has the default of the specification", () => {
    expect(schemaOf(key).default).toEqual(standard);
  });
});

/** Vitest cuts what it puts for `$key` in a title; `%s` stays whole. */
function named(keys: readonly SpecifiedKey[]): readonly (readonly [string, SpecifiedKey])[] {
  return keys.map((one) => [one.key, one]);
}

function put(target: Mutable, [step = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    if (value !== undefined) target[step] = value;
    return;
  }
  const next = target[step] ?? (rest[0] === "0" ? [] : {});
  target[step] = next;
  put(next as Mutable, rest, value);
}

/** What `countersign schema` says about a key below mappings alone. */
function schemaOf(key: string): Mutable {
  const descend = (schema: Mutable, step: string) => (schema.properties as Record<string, Mutable>)[step] ?? {};
  return key.split(".").reduce(descend, documentJsonSchema() as Mutable);
}
