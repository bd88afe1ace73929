import { expect, test } from "vitest";
import { SPECIFIED_KEYS } from "./keys.ts";
import { keyRows } from "./rows/keys.ts";
import { rows } from "./rows.ts";

const ids = new Set(rows.map(({ id }) => id));

test("every key of the specification has a row, and no row is about another key", () => {
  expect(keyRows.map(({ id }) => id)).toEqual(SPECIFIED_KEYS.map(({ key }) => `configuration.${key}`));
  expect(keyRows.filter(({ id }) => !ids.has(id))).toEqual([]);
});

test("the parts of titles of one row differ, so that none stands for another", () => {
  for (const { id, tests } of rows) expect(new Set(tests).size, id).toBe(tests.length);
});

test("a deviation says why, and has tests that show what is there instead", () => {
  const all = rows.flatMap(({ id, deviations = {} }) => Object.values(deviations).map((one) => ({ id, ...one })));
  expect(all.length).toBeGreaterThan(0);
  for (const { id, because, tests } of all) {
    expect(because, id).toMatch(/^[A-Z].{20,}\.$/);
    expect(tests.length, id).toBeGreaterThan(0);
  }
});
