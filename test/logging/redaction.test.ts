import { describe, expect, test } from "vitest";
import { REDACTED, redactFields, redactText } from "../../lib/logging/redaction.ts";
import { growth, SUPER_LINEAR } from "../support/growth.ts";

const HEADER = "eyJhbGciOiJFUzI1NiJ9";

describe("10. secrets are found by their look", () => {
  test.each([
    [`token=${HEADER}.eyJzdWIiOiJhIn0.c2ln`, `token=${REDACTED}`],
    [`a.b ${HEADER}.e30.c2ln, and more`, `a.b ${REDACTED}, and more`],
    [`/path/x.${HEADER}.e30.c2ln/y`, `/path/x.${REDACTED}/y`],
    [`id-${HEADER}.e30.c2ln`, REDACTED],
    [`_${HEADER}..c2ln`, REDACTED],
    [`${HEADER}.key.iv.text.tag`, REDACTED],
    ["eyJ.short", "eyJ.short"],
    ["the words eyJust are no.secret", "the words eyJust are no.secret"],
  ])("%j", (text, expected) => {
    expect(redactText(text)).toBe(expected);
  });
});

describe("37. looking for secrets takes time linear in the text", () => {
  const units = [
    ...["eyJ", "eyJabcdefgh", "eyJabcdefgh.", "eyJabcdefgh ", ".eyJ", "-", "a.", "cst_", "cst_a", "cst_a_", "cst_a-"],
    ...[
      "Bearer ",
      "Bearer",
      "Basic \t",
      " ",
      "-----BEGIN ",
      "-----BEGIN PRIVATE KEY",
      "PRIVATE KEY",
      "-----END ",
      "A ",
    ],
  ];
  const starts = [
    "",
    "eyJ",
    "cst_",
    "Bearer ",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n-----END ",
  ];

  test.each(starts)(
    "after %j",
    (start) => {
      for (const unit of units) {
        const text = (length: number) => `${start}${unit.repeat(length / unit.length)}!`;
        expect(growth(text, redactText), unit).toBeLessThan(SUPER_LINEAR);
      }
    },
    60_000,
  );

  test("also in the names of fields", () => {
    const fields = (length: number) => ({ [`${"private-".repeat(length / 8)}!`]: "x" });
    expect(growth(fields, redactFields)).toBeLessThan(SUPER_LINEAR);
  });
});
