import { expect, test } from "vitest";
import { createGivenLinks } from "../../../lib/upstream/catalog/given-links.ts";

test("46. a caller with many links loses its own oldest, and nobody else theirs", () => {
  const links = createGivenLinks();
  links.add("app", "ada", "a:hers");
  for (let at = 0; at < 10_000; at++) links.add("app", "mallory", `a:${at}`);
  expect(links.has("app", "ada", "a:hers")).toBe(true);
  expect([links.has("app", "mallory", "a:0"), links.has("app", "mallory", "a:9999")]).toEqual([false, true]);
  expect([links.has("app", "mallory", "a:hers"), links.has("other", "ada", "a:hers")]).toEqual([false, false]);
});

test("46. a link that is given again is kept as a new one", () => {
  const links = createGivenLinks();
  for (let at = 0; at < 10_000; at++) {
    links.add("app", "ada", `a:${at}`);
    links.add("app", "ada", "a:often");
  }
  expect(links.has("app", "ada", "a:often")).toBe(true);
});

test("46. of very many callers those who got no link for longest lose theirs", () => {
  const links = createGivenLinks();
  for (let at = 0; at < 10_000; at++) links.add("app", `person ${at}`, `a:${"x".repeat(1_000)}`);
  const known = Array.from({ length: 10_000 }, (_, at) => links.has("app", `person ${at}`, `a:${"x".repeat(1_000)}`));
  expect(known.indexOf(true)).toBeGreaterThan(5_000);
  expect(known.slice(known.indexOf(true))).not.toContain(false);
});
