import { base64url, utf8 } from "../../../lib/kernel/encoding.ts";
import { encodeJson, signAssertion } from "../../behaviour/fixture.ts";
import type { AssertionCase, AssertionRow } from "./row.ts";

const HEADER = encodeJson({ alg: "ES256" });
const PAYLOAD = encodeJson({ sub: "client_x" });
const SIGNATURE = base64url(new Uint8Array(64));
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Each is a right assertion, spelt otherwise. */
const spellings: readonly AssertionCase[] = (
  [
    ["padding", (text) => `${text}==`],
    ["the other base64 alphabet", (text) => text.replace(/.$/, "+")],
    [
      "a bit set that base64url leaves unused",
      (text) => text.slice(0, -1) + ALPHABET[ALPHABET.indexOf(text.slice(-1)) + 1],
    ],
    ["a length that base64url does not have", (text) => `${text.slice(0, text.lastIndexOf("."))}.AAAAA`],
    ["white space in front", (text) => ` ${text}`],
    ["a line break behind", (text) => `${text}\n`],
    ["white space within", (text) => text.replace(".", ". ")],
    ["a byte order mark in front", (text) => `\ufeff${text}`],
    ["a character outside ASCII", (text) => `${text.slice(0, -1)}é`],
  ] satisfies [string, (text: string) => string][]
).map(([name, spoil]) => [name, async ({ signer, us }) => spoil(await signAssertion(signer, us))]);

/** Not three canonical base64url segments of which the first two are JSON objects. */
export const unparsable: AssertionRow = {
  description: "failed to parse JWT",
  cases: [
    ["one segment", () => "nonsense"],
    ["two segments", () => `${HEADER}.${PAYLOAD}`],
    ["four segments", () => `${HEADER}.${PAYLOAD}.${SIGNATURE}.AA`],
    ["five segments, as a JWE has", () => `${HEADER}.AA.AA.${PAYLOAD}.${SIGNATURE}`],
    ["a point too many", () => `${HEADER}.${PAYLOAD}.${SIGNATURE}.`],
    ["only points", () => ".."],
    ["an empty header", () => `.${PAYLOAD}.${SIGNATURE}`],
    ["an empty payload", () => `${HEADER}..${SIGNATURE}`],
    ["the JSON serialization", () => JSON.stringify({ protected: HEADER, payload: PAYLOAD, signature: SIGNATURE })],
    ["an access token", () => `cst_us_00${"a".repeat(49)}`],
    ...spellings,
    ...contents("header", (text) => `${text}.${PAYLOAD}.${SIGNATURE}`),
    ...contents("payload", (text) => `${HEADER}.${text}.${SIGNATURE}`),
  ],
};

function contents(name: string, around: (segment: string) => string): AssertionCase[] {
  const texts: [string, string | Uint8Array][] = [
    ["an array", "[]"],
    ["null", "null"],
    ["a string", '"{}"'],
    ["a number", "1"],
    ["no JSON", "{sub:1}"],
    ["JSON with something behind", "{}x"],
    ["two JSON objects", "{}{}"],
    ["cut off", '{"alg":'],
    ["in UTF-16", new Uint8Array(Buffer.from("{}", "utf16le"))],
    ["not UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ["a byte order mark and JSON", "\ufeff{}"],
  ];
  return texts.map(([what, text]) => [
    `a ${name} that is ${what}`,
    () => around(base64url(typeof text === "string" ? utf8(text) : new Uint8Array(text))),
  ]);
}
