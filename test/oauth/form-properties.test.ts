import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { OAuthError } from "../../lib/protocol/oauth/errors.ts";
import { referenceForm } from "../fuzz/reference-form.ts";

/** Bytes of which many are forms, or nearly. */
const formBytes = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "a",
        "b",
        "=",
        "&",
        "+",
        "%41",
        "%61",
        "%20",
        "%C3%A9",
        "%26",
        "%00",
        "%f",
        "%",
        "%ff",
        "%ed%a0%80",
      ),
      fc.constantFrom("\u00e9", "\0", "\n", "\ufeff", ";", "~", "\x7f", "%EF%BB%BF", "%c0%80", "%f0%9f%98%80"),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => Buffer.from(pieces.join("")));
const anyBytes = fc.oneof(
  { weight: 4, arbitrary: formBytes },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
);

describe("the form parser beside an independent reading of the standards", () => {
  test("37. accepts the same bytes and reads the same from them; everything else is invalid_request", async () => {
    await fc.assert(
      fc.asyncProperty(anyBytes, async (bytes) => {
        const expected = referenceForm(bytes);
        const read = await formOf(bytes);
        expect(read).toEqual(expected === undefined ? "400 invalid_request" : [...expected]);
      }),
      {
        numRuns: 3_000,
        examples: [[Buffer.from("\ufeffa=1")], [Buffer.from("a=1\ufeff")], [Buffer.from("\xff\xfea=1", "latin1")]],
      },
    );
  });

  test("37. reads what URLSearchParams reads, where it accepts at all", () => {
    fc.assert(
      fc.property(formBytes, (bytes) => {
        const text = bytes.toString("latin1");
        const form = parsed(text);
        if (form === undefined) return;
        const pairs = [...new URLSearchParams(text)];
        expect([...form]).toEqual(pairs.filter(([, value]) => value !== ""));
        expect(new Set(pairs.map(([name]) => name)).size).toBe(pairs.length);
      }),
      { numRuns: 3_000 },
    );
  });

  test("37. accepts a form in whatever order and encoding, with the same result", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes("\0"));
    const value = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.dictionary(name, value), fc.infiniteStream(fc.boolean()), (pairs, choices) => {
        const encode = (text: string) =>
          [...Buffer.from(text)].map((byte) => (choices.next().value === true ? lower(byte) : upper(byte))).join("");
        const written = Object.entries(pairs).map(([key, text]) => `${encode(key)}=${encode(text)}`);
        const sorted = (entries: Iterable<[string, string]>) => [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
        expect(sorted(parseForm(written.reverse().join("&")))).toEqual(sorted(Object.entries(pairs)));
      }),
    );
  });
});

async function formOf(body: Buffer): Promise<unknown> {
  const headers = { "Content-Type": "application/x-www-form-urlencoded" };
  const request = new Request("https://us.example/", { method: "POST", headers, body: new Uint8Array(body) });
  try {
    return [...(await readForm(request))];
  } catch (error) {
    if (error instanceof OAuthError) return `${error.status} ${error.code}`;
    throw error;
  }
}

function parsed(text: string): ReadonlyMap<string, string> | undefined {
  try {
    return parseForm(text);
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

function upper(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}

function lower(byte: number): string {
  return upper(byte).toLowerCase();
}
