import type { AssertionDraft, Mutation } from "../draft.ts";
import type { Prng } from "../prng.ts";

/** Changes of the JSON text of header or payload, signed afterwards. */
export const jsonMutations: readonly Mutation<AssertionDraft>[] = [
  (draft, { prng }) =>
    rewritten(draft, prng, (text) => text.replace("{", `{"x":${"[".repeat(5_000)}${"]".repeat(5_000)},`)),
  (draft, { prng }) =>
    rewritten(draft, prng, (text) => text.replace("{", `${'{"x":'.repeat(3_000)}{`) + "}".repeat(3_000)),
  (draft, { prng }) => rewritten(draft, prng, (text) => text.replace("{", `{"x":${"9".repeat(1 + prng.int(5_000))},`)),
  (draft, { prng }) => rewritten(draft, prng, (text) => text.replace(/"exp":\d+/, `"exp":${prng.pick(NUMBERS)}`)),
  (draft, { prng }) => rewritten(draft, prng, (text) => text.replace("{", `{${prng.pick(MEMBERS)},`)),
  (draft, { prng }) => rewritten(draft, prng, (text) => text.replace(/}$/, `,${prng.pick(MEMBERS)}}`)),
  (draft, { prng }) => rewritten(draft, prng, (text) => prng.pick(["\ufeff", " ", "\n", "\0", "//\n", "["]) + text),
  (draft, { prng }) => rewritten(draft, prng, (text) => text + prng.pick([" ", "\0", "x", "{}", ",", "\u2028"])),
  (draft, { prng }) =>
    rewritten(draft, prng, () => prng.pick(["", "null", "[]", '"x"', "1", "{", "{}", "{}{}", "tru", "NaN", "\0"])),
  (draft, { prng }) => rewritten(draft, prng, (text) => escapedSomewhere(text, prng)),
  (draft, { prng }) => rewritten(draft, prng, (text) => text.slice(0, prng.int(text.length))),
  (draft, { prng }) => rewritten(draft, prng, (text) => flipped(Buffer.from(text), prng)),
  (draft, { prng }) => rewritten(draft, prng, (text) => Buffer.from(text, "utf16le")),
  (draft, { prng }) => rewritten(draft, prng, (text) => Buffer.from(text.replace("{", '{"é":1,'), "latin1")),
];

const NUMBERS = [
  "1e400",
  "-0",
  "1E+2",
  "01",
  "1.",
  ".5",
  "0x10",
  "1_000",
  "Infinity",
  `1${"0".repeat(400)}`,
  "1e-400",
  "2147483648",
];
/** Duplicates of the real members, names that mean something to JavaScript, surrogates. */
const MEMBERS = [
  '"sub":"x"',
  '"iss":"x"',
  '"alg":"none"',
  '"alg":"ES256"',
  '"exp":99999999999',
  '"__proto__":{"sub":"x","alg":"none"}',
  '"__proto__":null',
  '"constructor":{"prototype":{}}',
  '"\\u0073ub":"x"',
  '"x":"\\ud800"',
  '"\\udc00":1',
  '"":""',
  '"crit":[]',
  '"toJSON":1',
  '"x":"\\u0000"',
  '"b64":false',
];

function rewritten(draft: AssertionDraft, prng: Prng, rewrite: (text: string) => string | Buffer): AssertionDraft {
  return prng.chance(0.3)
    ? { ...draft, headerText: rewrite(String(draft.headerText ?? JSON.stringify(draft.header))) }
    : { ...draft, claimsText: rewrite(String(draft.claimsText ?? JSON.stringify(draft.claims))) };
}

/** The same JSON, spelt otherwise. */
function escapedSomewhere(text: string, prng: Prng): string {
  const at = text.search(/[a-z]/) + prng.int(3);
  return `${text.slice(0, at)}\\u00${text.charCodeAt(at).toString(16).padStart(2, "0")}${text.slice(at + 1)}`;
}

/** One bit of it; an earlier change may have left nothing. */
function flipped(bytes: Buffer, prng: Prng): Buffer {
  if (bytes.length === 0) return bytes;
  const at = prng.int(bytes.length);
  bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << prng.int(8)), at);
  return bytes;
}
