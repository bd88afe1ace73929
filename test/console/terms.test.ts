import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { explanationOf, TERMS, type Term } from "../../console/parts/terms.ts";
import { fileOfPage, slugOf } from "../../infra/build/site/addresses.ts";

const ROOT = new URL("../../", import.meta.url);

test.each(Object.entries(TERMS))(
  "the documentation says what %s is, where the Console leads to",
  async (_, { page, anchor }) => {
    const text = await readFile(new URL(`${page}.md`, ROOT), "utf8");
    const headings = text.split("\n").flatMap((line) => /^#{1,6} (.+)$/.exec(line)?.[1] ?? []);
    expect(headings.map(slugOf)).toContain(anchor);
    expect(fileOfPage(`${page}.md`)).toBe(`${page}.html`);
  },
);

test.each<[term: Term, word: RegExp]>([
  ["agent", /\*\*agent\*\*/],
  ["connector", /\*\*connector\*\*/],
  ["scope", /\*\*scope\*\*/],
  ["tool", /\*\*tool\*\*/],
  ["delegationToken", /delegation/i],
  ["override", /override/i],
  ["pin", /pins/i],
  ["revision", /revision/i],
  ["stop", /stop/i],
])("what is said of %s below its heading names it", async (term, word) => {
  const { page, anchor } = TERMS[term];
  const text = await readFile(new URL(`${page}.md`, ROOT), "utf8");
  const parts = text.split(/^(?=#{1,3} )/m);
  expect(parts.find((part) => slugOf(/^#+ (.+)$/m.exec(part)?.[1] ?? "") === anchor)).toMatch(word);
});

test("an explanation is below the address of the documentation", () => {
  expect(explanationOf("scope", "https://docs.example/v1")).toBe(
    "https://docs.example/v1/docs/concepts.html#the-parts",
  );
});
