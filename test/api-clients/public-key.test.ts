import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { parsePublicKey } from "../../lib/protocol/oauth/public-key.ts";

const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const pem = pair.publicKey.export({ type: "spki", format: "pem" }) as string;
const jwk = pair.publicKey.export({ format: "jwk" }) as Record<string, string>;
const privateJwk = pair.privateKey.export({ format: "jwk" }) as Record<string, string>;
const reduced = { kty: "EC", crv: "P-256", x: jwk.x, y: jwk.y };

describe("a P-256 public key is read from", () => {
  test.each([
    ["PEM", pem],
    ["PEM with CRLF", pem.replaceAll("\n", "\r\n")],
    ["PEM with spaces around", `\n  ${pem}  \n`],
    ["a JWK", jwk],
    ["a JWK with public extras", { ...jwk, alg: "ES256", use: "sig", kid: "mine", ext: true }],
    ["a JWK for verifying", { ...jwk, key_ops: ["verify"] }],
    ["a JWK as text", JSON.stringify(jwk)],
  ])("%s", async (_, input) => expect(await parsePublicKey(input)).toEqual(reduced));
});

describe("refused, without repeating the input:", () => {
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).publicKey;
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey;
  const zeros = Buffer.alloc(32).toString("base64url");
  test.each<[string, string | object]>([
    ["a private key in PKCS#8", pair.privateKey.export({ type: "pkcs8", format: "pem" }) as string],
    ["a private key in SEC 1", pair.privateKey.export({ type: "sec1", format: "pem" }) as string],
    ["a private JWK", privateJwk],
    ["a private JWK as text", JSON.stringify(privateJwk)],
    ["a P-384 key", p384.export({ type: "spki", format: "pem" }) as string],
    ["a P-384 JWK", p384.export({ format: "jwk" })],
    ["an RSA key", rsa.export({ type: "spki", format: "pem" }) as string],
    ["a symmetric JWK", { kty: "oct", k: zeros }],
    ["a point off the curve", { ...reduced, y: zeros }],
    ["a short coordinate", { ...reduced, x: "AAAA" }],
    ["a coordinate with padding", { ...reduced, x: `${jwk.x}=` }],
    ["a numeric coordinate", { ...reduced, x: 5 }],
    ["a key for another algorithm", { ...reduced, alg: "ES384" }],
    ["a key for encryption", { ...reduced, use: "enc" }],
    ["a key for other operations", { ...reduced, key_ops: ["sign"] }],
    ["a key for no operation", { ...reduced, key_ops: [] }],
    ["a key whose operations are no list", { ...reduced, key_ops: "verify" }],
    ["a certificate", pem.replaceAll("PUBLIC KEY", "CERTIFICATE")],
    ["half a PEM", pem.slice(0, 100)],
    ["an array", [jwk]],
    ["broken JSON", "{"],
    ["an empty text", ""],
    ["a very long text", "A".repeat(100_000)],
  ])("%s", async (_, input) => {
    const error = await parsePublicKey(input).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProblemError);
    const { code, fields, message } = error as ProblemError;
    expect([code, fields[0]?.pointer]).toEqual(["invalid_field", "/publicKey"]);
    expect(message + JSON.stringify(fields)).not.toContain(privateJwk.d as string);
  });
});

test("37. no text and no object makes reading a public key fail in another way", async () => {
  const input = fc.oneof(fc.string(), fc.object(), fc.constantFrom(pem, JSON.stringify(jwk)).chain(mangled));
  await fc.assert(
    fc.asyncProperty(input, async (value) => {
      const result = await parsePublicKey(value).catch((thrown: unknown) => thrown);
      if (!(result instanceof ProblemError)) expect(result).toMatchObject({ kty: "EC", crv: "P-256" });
    }),
  );
});

function mangled(text: string): fc.Arbitrary<string> {
  return fc
    .tuple(fc.nat(text.length), fc.nat(text.length), fc.string({ maxLength: 4 }))
    .map(([from, to, insert]) => text.slice(0, Math.min(from, to)) + insert + text.slice(Math.max(from, to)));
}
