import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseForm, readForm } from "../../lib/authorization-server/form.ts";
import { OAuthError } from "../../lib/protocol/oauth/errors.ts";

describe("form parsing", () => {
  test("reads names and values, encoded or not", () => {
    expect([...parseForm("a=1&b=x+y&c=%C3%A9%26&d")]).toEqual([
      ["a", "1"],
      ["b", "x y"],
      ["c", "é&"],
    ]);
  });

  test("treats a parameter without a value as omitted", () => {
    expect(parseForm("scope=&resource").size).toBe(0);
  });

  test.each([
    "a=1&a=1",
    "a=1&%61=2",
    "a=&a=1",
    "=1",
    "a=%00",
    "%00=1",
    "a=%",
    "a=%f",
    "a=%gg",
    "a=%ff",
    "a=%c0%80",
    "a=%ed%a0%80",
    "a=\u0000",
    "a=\n",
    "a=é",
  ])("refuses %j", (text) => {
    expect(() => parseForm(text)).toThrow(OAuthError);
  });

  test.each(["resource", "audience"])("tells that one %s is accepted, which other servers take several of", (name) => {
    const description = `${name} is accepted once: a token is for one audience`;
    for (const text of [`${name}=a&${name}=b`, `${name}=a&${name}=`]) {
      expect(() => parseForm(text)).toThrow(expect.objectContaining({ code: "invalid_request", description }));
    }
    expect(() => parseForm("scope=a&scope=b")).toThrow(expect.objectContaining({ description: undefined }));
  });

  test("37. reads back whatever URLSearchParams writes, null characters and empty names excepted", () => {
    const name = fc.string({ minLength: 1, unit: "grapheme" }).filter((text) => !text.includes("\0"));
    const value = fc.string({ unit: "grapheme" }).filter((text) => !text.includes("\0"));
    fc.assert(
      fc.property(fc.dictionary(name, value), (pairs) => {
        const expected = Object.entries(pairs).filter(([, text]) => text !== "");
        expect([...parseForm(new URLSearchParams(pairs).toString())]).toEqual(expected);
      }),
    );
  });

  test("37. answers any text with a form or invalid_request", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: formCharacter })), (text) => {
        const outcome = outcomeOf(() => parseForm(text));
        expect(outcome).toMatch(/^(a form|invalid_request)$/);
      }),
    );
  });
});

describe("form reading", () => {
  const request = (body: BodyInit, type = "application/x-www-form-urlencoded") =>
    new Request("https://us.example/", {
      method: "POST",
      headers: { "Content-Type": type },
      body,
      duplex: "half",
    } as RequestInit);

  const FORM = "application/x-www-form-urlencoded";
  test.each([
    `${FORM}; charset=UTF-8`,
    'Application/X-WWW-Form-URLencoded;charset="utf-8"',
    `${FORM};`,
    `${FORM} ; `,
    `${FORM};; charset=utf-8 ;\t;`,
  ])("accepts %s", async (type) => {
    expect((await readForm(request("a=1", type))).get("a")).toBe("1");
  });

  test.each([
    `${FORM}; charset=iso-8859-1`,
    `${FORM}; charset=`,
    `${FORM}; boundary=x`,
    `${FORM}charset=utf-8`,
    `${FORM}; charset=utf-8 charset=utf-8`,
    `${FORM}${" ;".repeat(4_000)}x`,
    "text/plain;",
    ";",
  ])("refuses %s", async (type) => {
    await expect(readForm(request("a=1", type))).rejects.toMatchObject({ code: "invalid_request", status: 400 });
  });

  test("counts a body of undeclared length while it arrives", async () => {
    const stream = (bytes: number) => new Blob(["a=", "x".repeat(bytes - 2)]).stream();
    expect((await readForm(request(stream(64 * 1024)))).get("a")).toHaveLength(64 * 1024 - 2);
    await expect(readForm(request(stream(64 * 1024 + 1)))).rejects.toMatchObject({
      code: "invalid_request",
      status: 413,
    });
  });

  test("refuses a declared length above the limit without reading", async () => {
    const large = new Request("https://us.example/", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "65537" },
      body: "a=1",
    });
    await expect(readForm(large)).rejects.toMatchObject({ status: 413 });
    expect(large.bodyUsed).toBe(false);
  });

  test("refuses a body that is longer than the limit and than it was declared", async () => {
    const lying = new Request("https://us.example/", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded", "Content-Length": "3" },
      body: `a=${"x".repeat(64 * 1024)}`,
    });
    await expect(readForm(lying)).rejects.toMatchObject({ code: "invalid_request", status: 413 });
  });

  test("a request without a body is an empty form", async () => {
    const bare = new Request("https://us.example/", {
      method: "POST",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    });
    expect((await readForm(bare)).size).toBe(0);
  });
});

const formCharacter = fc.constantFrom("a", "=", "&", "%", "+", "0", "F", "f", "\0", "é");

function outcomeOf(parse: () => unknown): string {
  try {
    parse();
    return "a form";
  } catch (error) {
    return error instanceof OAuthError ? error.code : String(error);
  }
}
