import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compilePattern } from "../../lib/policy/cel/pattern-program.ts";
import { PatternError } from "../../lib/policy/cel/pattern-syntax.ts";

/** Patterns that JavaScript reads as RE2 does. */
const pattern = fc.letrec<{ choice: string; sequence: string; piece: string; atom: string }>((tie) => ({
  choice: fc.array(tie("sequence"), { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|")),
  sequence: fc.array(tie("piece"), { maxLength: 3 }).map((parts) => parts.join("")),
  piece: fc
    .tuple(tie("atom"), fc.constantFrom("", "", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "+?"))
    .map(([atom, repeat]) => atom + repeat),
  atom: fc.oneof(
    { maxDepth: 3, depthIdentifier: "pattern" },
    fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\d", "\\W", "\\.", "(?:^)", "(?:$)", "(?:\\b)", "é", "😀"),
    tie("choice").map((inner) => `(${inner})`),
    tie("choice").map((inner) => `(?:${inner})`),
  ),
})).choice;

describe("a pattern of a policy", () => {
  test("matches what the same expression of JavaScript matches", () => {
    const text = fc.array(fc.constantFrom("a", "b", "1", ".", " ", "é", "😀", "\n"), { maxLength: 8 });
    fc.assert(
      fc.property(pattern, text, (source, characters) => {
        const subject = characters.join("");
        fc.pre(source.length < 80);
        expect(compilePattern(source).matches(subject)).toBe(new RegExp(source, "u").test(subject));
      }),
      { numRuns: 500 },
    );
  });

  test("matches the same in long texts, in whichever order, with more sets of ways than are remembered", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "b", "é", " "), minLength: 300, maxLength: 900 });
    const sources = ["(?:a|b)*a[ab]{12}é$", "\\ba.{90} b", "^a.{0,60}é b.{0,9}a", "a.{300}é\\B.b"];
    const programs = sources.map((source) => [new RegExp(source, "u"), compilePattern(source)] as const);
    fc.assert(
      fc.property(text, fc.nat({ max: 600 }), (characters, end) => {
        for (const [expression, program] of programs) {
          for (const subject of [characters, characters.slice(0, end)]) {
            expect(program.matches(subject)).toBe(expression.test(subject));
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  test.each([
    ["\\Aab\\z", "ab", "xab"],
    ["(?i)^ÄB$", "äb", "b"],
    ["^a\\-b_\\_$", "a-b__", "ab"],
    ["^[\\]\\-a]+$", "]-a", "b"],
    ["^\\p{Lu}\\x41\\x{1F600}$", "BA😀", "bA😀"],
    ["^a{2,3}$", "aaa", "aaaa"],
    ["^]}$", "]}", "}"],
    ["", "anything", undefined],
  ])("%s is read as RE2 reads it", (source, yes, no) => {
    expect(compilePattern(source).matches(yes)).toBe(true);
    if (no !== undefined) expect(compilePattern(source).matches(no)).toBe(false);
  });

  test.each([
    ["(?=a)", "a group of another kind"],
    ["(?<name>a)", "a group of another kind"],
    ["(a)\\1", "not accepted"],
    ["[[:alpha:]]", "not accepted"],
    ["a**", "repeats a repetition"],
    ["*a", "where it means nothing"],
    ["(a", 'unmatched "("'],
    ["a)", 'unmatched ")"'],
    ["[a", "where it means nothing"],
    ["a\\", "where it means nothing"],
    ["[b-a]", "not accepted"],
    ["a{3,2}", "end is before its beginning"],
    ["(a{1000}){1000}", "too large"],
    ["((a{100}){100}){100}", "too large"],
    [`${"(".repeat(200)}a${")".repeat(200)}`, "nested too deeply"],
    ["a".repeat(1_001), "more than 1000 characters"],
  ])("%s is refused, with the reason", (source, reason) => {
    expect(() => compilePattern(source)).toThrow(PatternError);
    expect(() => compilePattern(source)).toThrow(reason);
  });

  test("that is any text is refused or read, and never anything else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary-ascii", maxLength: 30 }), fc.string(), (source, subject) => {
        try {
          expect(typeof compilePattern(source).matches(subject)).toBe("boolean");
        } catch (cause) {
          expect(cause).toBeInstanceOf(PatternError);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
