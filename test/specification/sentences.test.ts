import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { BESIDE_THE_SPECIFICATION, rows } from "./rows.ts";
import { digestOf, sentencesOf, specificationText } from "./sentences/split.ts";
import { DIGEST_OF_ALL, SENTENCES } from "./sentences.ts";

const ids = new Set(rows.map(({ id }) => id));

test("every sentence has rows or says why it needs none", () => {
  for (const { digest, about, rows: named, none } of SENTENCES) {
    expect(digest).toMatch(/^[0-9a-f]{10}$/);
    expect(about).not.toBe("");
    expect([about, named.length > 0]).toEqual([about, none === undefined]);
    if (none !== undefined) expect(none).toMatch(/\.$/);
  }
});

test("the rows of a sentence exist, and every other row is named as one beside the specification", () => {
  const named = new Set(SENTENCES.flatMap((sentence) => sentence.rows));
  expect([...named].filter((id) => !ids.has(id))).toEqual([]);
  expect([...ids].filter((id) => !named.has(id)).toSorted()).toEqual(BESIDE_THE_SPECIFICATION.toSorted());
});

test("no sentence was lost since the list was compared with the specification", () => {
  const digests = SENTENCES.map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(digests.length);
  expect(createHash("sha256").update(digests.join("\n")).digest("hex")).toBe(DIGEST_OF_ALL);
});

test("a text is split at headings, items, rows of tables and full stops, and at nothing else", () => {
  const text = `# A heading. With two parts

First sentence (see \`a.b\`). Second one, e.g. of two parts.
\`code\` begins the third.

- An item
  1. One below it; both parts. {placeholder} as well.

| Key | Meaning |
|---|---|
| a.b | First part. Second part. |
`;
  expect(sentencesOf(text)).toEqual([
    "# A heading. With two parts",
    "First sentence (see `a.b`).",
    "Second one, e.g. of two parts.",
    "`code` begins the third.",
    "An item",
    "One below it; both parts.",
    "{placeholder} as well.",
    "Key | Meaning",
    "a.b | First part.",
    "Second part.",
  ]);
});

const specification = specificationText();
if (specification !== undefined)
  test("the list has every sentence of the specification, in its order, and no other", () => {
    const digests = new Map(sentencesOf(specification).map((sentence) => [digestOf(sentence), sentence]));
    const listed = new Set(SENTENCES.map(({ digest }) => digest));
    const [unlisted, stale] = [
      [...digests].filter(([digest]) => !listed.has(digest)),
      SENTENCES.filter(({ digest }) => !digests.has(digest)).map(({ about }) => about),
    ];
    expect({ unlisted, stale }).toEqual({ unlisted: [], stale: [] });
    // A sentence that stands twice is listed where it stands first.
    const order = new Set(sentencesOf(specification).map(digestOf));
    expect(SENTENCES.map(({ digest }) => digest)).toEqual([...order]);
  });
