import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { EVERY_MUTANT } from "./every-mutant.ts";
import { locate, productSources } from "./locate.ts";

test("each defect of the table has its place in the product, exactly one", () => {
  const sources = productSources(fileURLToPath(new URL("../../", import.meta.url)));
  const lost = EVERY_MUTANT.flatMap((mutant) => {
    try {
      locate(mutant, sources);
      return [];
    } catch (error) {
      return [String(error)];
    }
  });
  expect(lost).toEqual([]);
});

test("the table has at least 60 defects, each with a name of its own", () => {
  expect(EVERY_MUTANT.length).toBeGreaterThanOrEqual(60);
  expect(new Set(EVERY_MUTANT.map(({ id }) => id)).size).toBe(EVERY_MUTANT.length);
});

const CALL = { id: "call", find: "call(first, { second })", replace: "call(second)" };

test.each([
  { how: "as it was written", text: "x = call(first, { second });" },
  { how: "over several lines, with trailing commas", text: "x = call(\n  first,\n  {\n    second,\n  },\n);" },
])("a defect is found $how", ({ text }) => {
  expect(locate(CALL, [{ path: "lib/one.ts", text }])).toMatchObject({ path: "lib/one.ts", text: "x = call(second);" });
});

test.each([
  { how: "nowhere", texts: ["recall(first, { second })"], message: "call: its code stands nowhere" },
  { how: "in two files", texts: ["call(first, {second})", "call(first, {second})"], message: "stands 2 times" },
])("a defect whose code stands $how is an error", ({ texts, message }) => {
  const sources = texts.map((text, index) => ({ path: `lib/${index}.ts`, text }));
  expect(() => locate(CALL, sources)).toThrow(message);
});
