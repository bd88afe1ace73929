import fc from "fast-check";
import { expect, test } from "vitest";
import { csvField, csvLine } from "../../lib/management/audit-export.ts";

test.each(["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", " =1", "＝1"])(
  "35. %j is no formula in the exported table",
  (text) => expect(csvField(text)).toBe(`"'${text}"`),
);

test("quotes are doubled, absent values are empty, objects are JSON", () => {
  expect(csvField('a "b"')).toBe('"a ""b"""');
  expect(csvField(undefined)).toBe("");
  expect(csvField({ a: 1 })).toBe('"{""a"":1}"');
});

test("35. no text leaves its field", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const field = csvField(text);
      expect(field.slice(1, -1).replaceAll('""', "")).not.toContain('"');
      expect(field.slice(1, -1).replaceAll('""', '"').replace(/^'/, "")).toBe(text.replace(/^'/, ""));
    }),
  );
});

test("35. only what others may have chosen is changed in a line", () => {
  const event = { id: "01", time: "2026-01-01T00:00:00.000Z", type: "tool.invoked", outcome: "success" } as const;
  const line = csvLine({ ...event, user: "=1+1", tool: "@x", argumentsDigest: "-digest", details: { a: "=1" } });
  for (const field of [`"'=1+1"`, `"'@x"`, `"-digest"`, `"{""a"":""=1""}"`])
    expect(line.trim().split(",")).toContain(field);
});

test("a line has one field for each column", () => {
  const line = csvLine({ id: "01", time: "2026-01-01T00:00:00.000Z", type: "token.issued", outcome: "success" });
  expect(line).toBe('"01","2026-01-01T00:00:00.000Z","token.issued","success",,,,,,,,,,,,,,,,,\r\n');
});
