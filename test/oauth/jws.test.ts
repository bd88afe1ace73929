import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { base64url, utf8 } from "../../lib/kernel/encoding.ts";
import { parseCompactJws } from "../../lib/protocol/oauth/jws.ts";
import { encodeJson } from "../behaviour/fixture.ts";

const HEADER = encodeJson({ alg: "ES256" });
const PAYLOAD = encodeJson({ sub: "x" });

describe("compact JWS parsing", () => {
  test("keeps header, payload, signature and what was signed", () => {
    const jws = parseCompactJws(`${HEADER}.${PAYLOAD}.AQID`);
    expect(jws).toEqual({
      header: { alg: "ES256" },
      payload: { sub: "x" },
      signature: new Uint8Array([1, 2, 3]),
      signatureSegment: "AQID",
      signingInput: utf8(`${HEADER}.${PAYLOAD}`),
    });
  });

  test.each([
    ["nothing", ""],
    ["one segment", HEADER],
    ["two segments", `${HEADER}.${PAYLOAD}`],
    ["four segments", `${HEADER}.${PAYLOAD}.AQID.AQID`],
    ["five segments", `${HEADER}.${PAYLOAD}.AQID.AQID.AQID`],
    ["an empty header", `.${PAYLOAD}.AQID`],
    ["an empty payload", `${HEADER}..AQID`],
    ["padding", `${HEADER}.${PAYLOAD}.AQ==`],
    ["the plain base64 alphabet", `${HEADER}.${PAYLOAD}.+/+/`],
    ["trailing bits that are not zero", `${HEADER}.${PAYLOAD}.AB`],
    ["a length that base64 cannot have", `${HEADER}.${PAYLOAD}.AQIDA`],
    ["white space", `${HEADER}.${PAYLOAD}. AQID`],
    ["a header that is an array", `${encodeJson([])}.${PAYLOAD}.AQID`],
    ["a header that is null", `${encodeJson(null)}.${PAYLOAD}.AQID`],
    ["a payload that is a string", `${HEADER}.${encodeJson("x")}.AQID`],
    ["a payload that is no JSON", `${HEADER}.${base64url(utf8("{sub:1}"))}.AQID`],
    ["a payload that is no UTF-8", `${HEADER}.${base64url(new Uint8Array([0x7b, 0xff, 0x7d]))}.AQID`],
    ["a payload that begins with a byte order mark", `${HEADER}.${base64url(utf8("\uFEFF{}"))}.AQID`],
  ])("refuses %s", (_, text) => {
    expect(parseCompactJws(text)).toBeUndefined();
  });

  test("a claim named __proto__ stays a claim", () => {
    const payload = base64url(utf8('{"__proto__":{"sub":"x"}}'));
    expect(parseCompactJws(`${HEADER}.${payload}.`)?.payload.sub).toBeUndefined();
  });

  test("37. reads back every object that was serialized", () => {
    const object = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(object, object, fc.uint8Array(), (header, payload, signature) => {
        const parsed = parseCompactJws(`${encodeJson(header)}.${encodeJson(payload)}.${base64url(signature)}`);
        expect(JSON.stringify(parsed?.header)).toBe(JSON.stringify(header));
        expect(JSON.stringify(parsed?.payload)).toBe(JSON.stringify(payload));
        expect([...(parsed?.signature ?? [])]).toEqual([...signature]);
      }),
    );
  });

  test("37. never throws, and what it accepts is its own only spelling", () => {
    const segment = fc.oneof(
      fc.base64String(),
      fc.string({ unit: "binary" }),
      fc.constantFrom(HEADER, PAYLOAD, "AQID", ""),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (segments) => {
        const text = segments.join(".");
        const parsed = parseCompactJws(text);
        if (parsed === undefined) return;
        const signingInput = new TextDecoder().decode(parsed.signingInput);
        expect(`${signingInput}.${base64url(parsed.signature)}`).toBe(text);
      }),
    );
  });
});
