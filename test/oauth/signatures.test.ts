import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import fc from "fast-check";
import { type JWTPayload, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { nodeSignatureVerifier } from "../../infra/node/crypto/signature-verifier.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { parseCompactJws } from "../../lib/protocol/oauth/jws.ts";
import type { PublicKeyJwk } from "../../lib/protocol/oauth/public-key.ts";
import { webCryptoSignatureVerifier } from "../../lib/protocol/oauth/webcrypto-signature-verifier.ts";

const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = publicKey.export({ format: "jwk" }) as PublicKeyJwk;
const verifiers = [
  ["Node's verifier", nodeSignatureVerifier()],
  ["WebCrypto's verifier", webCryptoSignatureVerifier()],
] as const;
const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

describe.each(verifiers)("%s", (_, { verify: verifies }) => {
  const isAccepted = async (text: string) => {
    const jws = parseCompactJws(text);
    return jws !== undefined && (await verifies(jwk, "key", jws.signingInput, jws.signature));
  };

  test("37. accepts what jose signs, and the parser reads it back", async () => {
    const claims = fc.dictionary(
      fc.string({ unit: "grapheme" }).filter((name) => name !== "__proto__" && !TIMES.includes(name)),
      fc.jsonValue(),
    );
    await fc.assert(
      fc.asyncProperty(
        claims,
        fc.dictionary(fc.constantFrom("typ", "kid", "cty"), fc.string()),
        async (payload, more) => {
          const header = { ...more, alg: "ES256" };
          const text = await new SignJWT(payload as JWTPayload).setProtectedHeader(header).sign(privateKey);
          const jws = parseCompactJws(text);
          expect(JSON.stringify(jws?.payload)).toBe(JSON.stringify(payload));
          expect(jws?.header).toEqual(header);
          expect(await isAccepted(text)).toBe(true);
        },
      ),
    );
  });

  test("37. refuses a valid assertion in which any one character is another", async () => {
    const text = await new SignJWT({ sub: "client_x" }).setProtectedHeader({ alg: "ES256" }).sign(privateKey);
    const changes = fc.tuple(fc.nat(text.length - 1), fc.constantFrom(...`${ALPHABET}.=+/ é\0`));
    await fc.assert(
      fc.asyncProperty(changes, async ([at, character]) => {
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(await isAccepted(changed)).toBe(changed === text);
      }),
      { numRuns: 1_000 },
    );
    // Every place, not only those that chance looks at.
    for (let at = 0; at < text.length; at++) {
      const other = text[at] === "A" ? "B" : "A";
      expect(await isAccepted(text.slice(0, at) + other + text.slice(at + 1))).toBe(false);
    }
  });

  test("37. refuses a valid assertion in which any one bit of the decoded bytes is another", async () => {
    const text = await new SignJWT({ sub: "client_x" }).setProtectedHeader({ alg: "ES256" }).sign(privateKey);
    const segments = text.split(".").map((segment) => Buffer.from(segment, "base64url"));
    for (const [index, segment] of segments.entries()) {
      for (let bit = 0; bit < segment.length * 8; bit++) {
        const flipped = Buffer.from(segment);
        flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
        const changed = segments.map((same, at) => (at === index ? flipped : same).toString("base64url"));
        expect(await isAccepted(changed.join("."))).toBe(false);
      }
    }
  });

  test("37. says of any 64 bytes what Node's own conversion says", async () => {
    const key = createPublicKey(createPrivateKey(privateKey.export({ type: "pkcs8", format: "pem" })));
    const data = utf8("signed");
    const right = sign("sha256", data, { key: privateKey, dsaEncoding: "ieee-p1363" });
    const half = fc.oneof(
      fc.uint8Array({ minLength: 32, maxLength: 32 }).map((some) => Buffer.from(some)),
      fc.nat(32).map((zeros) => Buffer.concat([Buffer.alloc(zeros), Buffer.alloc(32 - zeros, 0xff)])),
      fc.nat(255).map((last) => Buffer.concat([Buffer.alloc(31), Buffer.from([last])])),
      fc.constantFrom(right.subarray(0, 32), right.subarray(32), ORDER, Buffer.alloc(32)),
    );
    await fc.assert(
      fc.asyncProperty(half, half, async (r, s) => {
        const signature = new Uint8Array(Buffer.concat([r, s]));
        const expected = verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
        expect(await verifies(jwk, "key", data, signature)).toBe(expected);
      }),
      { numRuns: 500, examples: [[right.subarray(0, 32), right.subarray(32)]] },
    );
  });

  test("37. answers a signature of any length, and accepts none that is not 64 bytes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 140 }), async (signature) => {
        expect(await verifies(jwk, "key", utf8("signed"), new Uint8Array(signature))).toBe(false);
      }),
    );
  });
});

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** jose checks these before it signs. */
const TIMES: readonly string[] = ["exp", "nbf", "iat", "iss", "sub", "aud", "jti"];
