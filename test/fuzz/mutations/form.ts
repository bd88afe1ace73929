import { RESOURCE_SERVER } from "../../behaviour/configuration.ts";
import type { FormPairs, Mutation } from "../draft.ts";
import type { Prng } from "../prng.ts";
import { oddValue } from "./claims.ts";

/** Changes of the parameters. */
export const parameterMutations: readonly Mutation<FormPairs>[] = [
  (pairs, { prng }) => without(pairs, prng.int(pairs.length)),
  (pairs, { prng }) => [...pairs, prng.pick(pairs)],
  (pairs, { prng }) => [...pairs, [prng.pick(pairs)[0], ""]],
  (pairs, { prng }) => withValue(pairs, prng, ""),
  (pairs, { prng }) => withValue(pairs, prng, JSON.stringify(oddValue(prng))),
  (pairs, { prng }) => withValue(pairs, prng, prng.text(prng.pick([1, 1_000, 60_000, 70_000, 300_000]))),
  (pairs, { prng }) => [...pairs, [prng.text(5), prng.text(prng.pick([60_000, 64 * 1024, 1024 * 1024]))]],
  (pairs, { prng }) => [
    ...pairs,
    ...Array.from({ length: prng.pick([50, 2_000]) }, () => [prng.text(8), "1"] as const),
  ],
  (pairs, { prng }) => [
    ...pairs,
    [prng.pick(["__proto__", "constructor", "", " ", "grant_type ", "grant_type[]", "\0"]), prng.text(4)],
  ],
  (pairs, { prng }) =>
    set(
      pairs,
      "grant_type",
      prng.pick([
        "password",
        "authorization_code",
        "urn:x:y",
        "a b",
        "Client_Credentials",
        "client_credentials\0",
        'a"b',
        "é",
      ]),
    ),
  (pairs, { prng }) =>
    set(
      pairs,
      "client_assertion_type",
      prng.pick(["jwt-bearer", "urn:ietf:params:oauth:client-assertion-type:saml2-bearer", " "]),
    ),
  (pairs, { prng }) => set(pairs, "client_id", prng.pick([RESOURCE_SERVER.clientId, "client_x", prng.text(10)])),
  (pairs, { prng }) => set(pairs, "client_secret", prng.pick([RESOURCE_SERVER.secret, prng.text(40)])),
  (pairs, { prng }) =>
    set(
      pairs,
      "scope",
      prng.pick([
        "books:read",
        "audit:read",
        "unknown",
        'a"b',
        "a  b",
        " ",
        "a\tb",
        "\\",
        "é",
        "audit:read ".repeat(3_000),
      ]),
    ),
  (pairs, { prng }) =>
    set(
      pairs,
      "resource",
      prng.pick([
        "x",
        "https://rest.example/api/",
        "https://rest.example/api#x",
        "javascript:1",
        JSON.stringify(oddValue(prng)),
      ]),
    ),
  (pairs, { prng }) => [...pairs].sort(() => prng.int(3) - 1),
  (pairs, { prng }) => withSecret(pairs, prng),
];

/** Ways to write parameters as a body: the usual one first, then others, not all of which are right. */
export const serializations: readonly ((pairs: FormPairs, prng: Prng) => Buffer)[] = [
  (pairs) => Buffer.from(new URLSearchParams(pairs.map(([name, value]) => [name, value])).toString()),
  (pairs) => joined(pairs, everyByte),
  (pairs) => joined(pairs, (text) => everyByte(text).toLowerCase()),
  (pairs) => joined(pairs, encodeURIComponentSafely),
  (pairs, prng) => joined(pairs, (text) => sometimes(text, prng)),
  (pairs) => joined(pairs, (text) => text),
  (pairs) => joined(pairs, (text) => text, "latin1"),
  (pairs) => Buffer.from(JSON.stringify(Object.fromEntries(pairs))),
  (pairs, prng) => Buffer.from(`${"&".repeat(prng.int(9))}${joined(pairs, encodeURIComponentSafely, "utf8", "&&")}&`),
  (pairs) => Buffer.from(`${joined(pairs, encodeURIComponentSafely, "utf8", ";")}`),
  (pairs) => multipart(pairs),
];

/** Changes of the bytes of a body. */
export const byteMutations: readonly Mutation<Buffer>[] = [
  (body, { prng }) =>
    spliced(
      body,
      prng,
      Buffer.from(
        prng.pick([
          "%00",
          "%",
          "%f",
          "%zz",
          "%ff",
          "%c0%80",
          "%ed%a0%80",
          "%u0041",
          "\0",
          "\r\n",
          "é",
          "+",
          "&",
          "=",
          "&=&",
        ]),
      ),
    ),
  (body, { prng }) => spliced(body, prng, prng.bytes(1 + prng.int(8))),
  (body, { prng }) => body.subarray(0, prng.int(body.length + 1)),
  (body, { prng }) => Buffer.concat([Buffer.from(prng.pick(["\ufeff", "?", "&", " ", "\n", "="])), body]),
  (body, { prng }) => Buffer.concat([body, Buffer.from(prng.pick(["\0", "\n", "&", "=", "%"]))]),
  (_, { prng }) => prng.bytes(prng.int(2_000)),
  () => Buffer.alloc(0),
];

/** Authentication by secret instead of by assertion, as resource servers do. */
function withSecret(pairs: FormPairs, prng: Prng): FormPairs {
  const others = pairs.filter(([name]) => !name.startsWith("client_assertion"));
  const { clientId, secret } = RESOURCE_SERVER;
  return [
    ...others,
    ["client_id", clientId],
    ["client_secret", prng.chance(0.7) ? secret : `${secret}${prng.text(1)}`],
  ];
}

function without(pairs: FormPairs, at: number): FormPairs {
  return pairs.filter((_, index) => index !== at);
}

function withValue(pairs: FormPairs, prng: Prng, value: string): FormPairs {
  const at = prng.int(pairs.length);
  return pairs.map((pair, index) => (index === at ? [pair[0], value] : pair));
}

function set(pairs: FormPairs, name: string, value: string): FormPairs {
  return [...pairs.filter((pair) => pair[0] !== name), [name, value]];
}

function joined(
  pairs: FormPairs,
  encode: (text: string) => string,
  encoding: BufferEncoding = "utf8",
  separator = "&",
): Buffer {
  return Buffer.from(pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join(separator), encoding);
}

function everyByte(text: string): string {
  return Buffer.from(text).toString("hex").toUpperCase().replace(/../g, "%$&");
}

function sometimes(text: string, prng: Prng): string {
  return [...text]
    .map((character) => (prng.chance(0.3) ? everyByte(character) : encodeURIComponentSafely(character)))
    .join("");
}

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

function spliced(body: Buffer, prng: Prng, bytes: Buffer): Buffer {
  const at = prng.int(body.length + 1);
  return Buffer.concat([body.subarray(0, at), bytes, body.subarray(at)]);
}

function multipart(pairs: FormPairs): Buffer {
  const parts = pairs.map(
    ([name, value]) => `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return Buffer.from(`${parts.join("")}--x--\r\n`);
}
