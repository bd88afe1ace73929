import type { Mutation } from "../draft.ts";
import type { Prng } from "../prng.ts";

/** Changes of a signed assertion in compact serialization. */
export const segmentMutations: readonly Mutation<string>[] = [
  (text, { prng }) => onSegment(text, prng, (segment) => replacedCharacter(segment, prng)),
  (text, { prng }) => onSegment(text, prng, (segment) => segment.slice(0, prng.int(segment.length + 1))),
  (text, { prng }) =>
    onSegment(
      text,
      prng,
      (segment) => segment + prng.pick(["=", "==", "A", "AA", "AAAA", "+", "/", " ", "\n", "%", "\0"]),
    ),
  (text, { prng }) => onSegment(text, prng, () => prng.bytes(prng.int(80)).toString("base64url")),
  (text, { prng }) => onSegment(text, prng, () => prng.pick(["", "e30", "AA", "bnVsbA", "W10", "."])),
  (text, { prng }) => withSignature(text, prng.bytes(prng.pick([0, 1, 63, 64, 65, 70, 128, 4_000]))),
  (text) => withSignature(text, Buffer.alloc(64)),
  (text) => withSignature(text, Buffer.alloc(64, 0xff)),
  (text) => withSignature(text, der(signatureOf(text))),
  (text) => withSignature(text, Buffer.concat([signatureOf(text).subarray(32), signatureOf(text).subarray(0, 32)])),
  (text) => withSignature(text, withOtherS(signatureOf(text))),
  (text, { prng }) => text + prng.pick([".", ".AA", "..", `.${text}`]),
  (text, { prng }) => text.split(".").slice(0, prng.int(3)).join("."),
  (text, { prng }) => shuffled(text.split("."), prng).join("."),
  (text) => text.replace(".", ""),
  (text, { prng }) => prng.pick([" ", "\n", "Bearer ", '"', "\ufeff"]) + text,
  (text, { prng }) => prng.text(prng.int(100)) + text.length,
  (_, { prng }) => prng.bytes(prng.int(300)).toString("latin1"),
  (_, { prng }) => ".".repeat(prng.int(30_000)),
  (text) => JSON.stringify({ payload: text.split(".")[1], signature: text.split(".")[2] }),
  (text, { prng }) => `${text.split(".").slice(0, 2).join(".")}.${lastBitSet(text.split(".")[2] ?? "", prng)}`,
];

function onSegment(text: string, prng: Prng, change: (segment: string) => string): string {
  const segments = text.split(".");
  const at = prng.int(segments.length);
  return segments.map((segment, index) => (index === at ? change(segment) : segment)).join(".");
}

function replacedCharacter(segment: string, prng: Prng): string {
  const at = prng.int(segment.length);
  return segment.slice(0, at) + prng.text(1, "ABCDwxyz0189-_+/=. ") + segment.slice(at + 1);
}

function signatureOf(text: string): Buffer {
  return Buffer.from(text.split(".")[2] ?? "", "base64url");
}

function withSignature(text: string, signature: Buffer): string {
  return `${text.split(".").slice(0, 2).join(".")}.${signature.toString("base64url")}`;
}

/** ASN.1 of the two numbers. */
function der(signature: Buffer): Buffer {
  const integer = (bytes: Buffer) => Buffer.concat([Buffer.from([2, bytes.length + 1, 0]), bytes]);
  const numbers = Buffer.concat([integer(signature.subarray(0, 32)), integer(signature.subarray(32))]);
  return Buffer.concat([Buffer.from([0x30, numbers.length]), numbers]);
}

const ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;

/** `(r, n - s)` verifies as well as `(r, s)`: ECDSA signatures are malleable, which a `jti` must not care about. */
function withOtherS(signature: Buffer): Buffer {
  if (signature.length !== 64) return signature;
  const s = BigInt(`0x${signature.toString("hex", 32)}`);
  if (s >= ORDER) return signature;
  return Buffer.concat([signature.subarray(0, 32), Buffer.from((ORDER - s).toString(16).padStart(64, "0"), "hex")]);
}

/** The same bytes with a bit set that base64url does not use. */
function lastBitSet(segment: string, prng: Prng): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = alphabet.indexOf(segment.at(-1) ?? "A");
  return segment.slice(0, -1) + alphabet[last | (1 + prng.int(3))];
}

function shuffled(segments: readonly string[], prng: Prng): string[] {
  return [...segments].sort(() => prng.int(3) - 1);
}
