import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { REDACTED } from "../../lib/logging/redaction.ts";
import { type SecretValues, secretValues } from "../../lib/logging/secret-values.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";

function knowing(...secrets: readonly string[]): SecretValues {
  const values = secretValues();
  for (const secret of secrets) values.add(secret);
  return values;
}

describe("10. a known secret is taken out of a text", () => {
  const SECRET = 'p@ss/w+rd "ünd" more';

  test.each([
    ["as it is", SECRET],
    ["in a URL", encodeURIComponent(SECRET)],
    ["in a URL, in lower case", encodeURIComponent(SECRET).toLowerCase()],
    ["in a URL, partly decoded", decodeURI(encodeURIComponent(SECRET))],
    ["in a URL, with more escapes than needed", encodeURIComponent(SECRET).replaceAll("s", "%73")],
    ["in a form", new URLSearchParams({ "": SECRET }).toString().slice(1)],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
  ])("%s", (_, spelling) => {
    expect(knowing(SECRET).redact(`before ${spelling} after`)).toBe(`before ${REDACTED} after`);
  });

  test.each(["base64", "base64url"] as const)("as %s, wherever in an encoded text it stands", (encoding) => {
    const values = knowing(SECRET);
    for (const before of ["", "a", "ab", "abc"]) {
      for (const after of ["", "y", "yz"]) {
        const text = Buffer.from(`${before}${SECRET}${after}`).toString(encoding);
        const rest = values.redact(`Basic ${text};`);
        expect(rest).toContain(REDACTED);
        expect(rest.replace(REDACTED, "").length).toBeLessThan("Basic ;".length + 12);
      }
    }
  });

  test("beside what is no well-formed escape of a URL", () => {
    expect(knowing("s/ecret+a").redact("100% s%2fecret%2ba %zz %ff% %e9")).toBe(`100% ${REDACTED} %zz %ff% %e9`);
    expect(knowing("s/ecret+a").redact("100% of %2f")).toBe("100% of %2f");
  });

  test("line by line, when it has several", () => {
    const values = knowing("-----BEGIN THING-----\nfirst-line-of-it\r\n  second-line-of-it\n");
    expect(values.redact("saw second-line-of-it, then first-line-of-it.")).toBe(`saw ${REDACTED}, then ${REDACTED}.`);
  });

  test("each time, also when secrets touch or one begins with another", () => {
    const values = knowing("secret-one", "secret-one-and-more", "another-one");
    expect(values.redact("secret-onesecret-one-and-moreanother-one secret-one")).toBe(
      `${REDACTED}${REDACTED}${REDACTED} ${REDACTED}`,
    );
  });

  test("as soon as it is known", () => {
    const values = knowing("first-secret");
    expect(values.redact("a later-secret")).toBe("a later-secret");
    values.add("later-secret");
    expect(values.redact("a later-secret, the first-secret")).toBe(`a ${REDACTED}, the ${REDACTED}`);
  });

  test("a short one stays: it would take half of every line with it", () => {
    expect(knowing("", "info", "seven77").redact("info seven77")).toBe("info seven77");
    expect(knowing("eight888").redact("eight888")).toBe(REDACTED);
  });

  test("secrets that are renewed again and again do not add up", () => {
    const values = knowing(...Array.from({ length: 1_001 }, (_, index) => `secret-number-${index}-`));
    expect(values.redact("secret-number-0- secret-number-1000-")).toBe(`secret-number-0- ${REDACTED}`);
  });

  test("secrets that are added again stay, whatever others are renewed", () => {
    const values = knowing("secret-in-use");
    for (let index = 0; index < 3_000; index++) {
      values.add(`secret-number-${index}-`);
      values.add("secret-in-use");
    }
    expect(values.redact("secret-in-use secret-number-1-")).toBe(`${REDACTED} secret-number-1-`);
  });
});

test("37. what is no secret stays as it is, and of what is one nothing is left", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "=", "/", "é", "\n", "🙂") });
  const secret = fc.string({ unit: fc.constantFrom("c", "d", "é", "+", '"', "🙂"), minLength: 8 });
  fc.assert(
    fc.property(fc.array(text), fc.uniqueArray(secret, { minLength: 1 }), (texts, secrets) => {
      const values = knowing(...secrets);
      expect(values.redact(texts.join(""))).toBe(texts.join(""));
      for (const one of secrets) expect(values.redact(texts.join(one)).includes(one)).toBe(false);
      const [one = ""] = secrets;
      expect(knowing(one).redact(texts.join(`a${one}a`))).toBe(texts.join(`a${REDACTED}a`));
    }),
  );
});

test("37. looking for secrets takes time linear in the text, however many there are", () => {
  const values = knowing(...Array.from({ length: 200 }, (_, index) => `secret-number-${index}-`));
  for (const unit of [
    "s",
    "secret-number-",
    "secret-number-7-",
    "secret-number-7",
    "x",
    "é",
    "%",
    "%4",
    "%41",
    "%ff",
    "%c3%a9",
  ]) {
    expect(
      growth((length) => unit.repeat(length / unit.length), values.redact),
      unit,
    ).toBeLessThan(SUPER_LINEAR);
  }
});
