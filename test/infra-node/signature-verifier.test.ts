import { describe, expect, test } from "vitest";
import { nodeSignatureVerifier } from "../../infra/node/crypto/signature-verifier.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";
import type { PublicKeyJwk } from "../../lib/protocol/oauth/public-key.ts";
import { webCryptoSignatureVerifier } from "../../lib/protocol/oauth/webcrypto-signature-verifier.ts";

const ES256 = { name: "ECDSA", hash: "SHA-256" };

for (const [name, create] of [
  ["node:crypto", nodeSignatureVerifier],
  ["WebCrypto", webCryptoSignatureVerifier],
] as const) {
  describe(`ES256 by ${name}`, () => {
    test("accepts the key's signature, also from the kept key, and refuses every other", async () => {
      const verifier = create();
      const [own, foreign] = [await newKey(), await newKey()];
      const data = utf8("header.payload");
      const signature = await own.sign(data);
      for (let i = 0; i < 2; i++) {
        expect(await verifier.verify(own.publicKey, "own", data, signature)).toBe(true);
        expect(await verifier.verify(foreign.publicKey, "foreign", data, signature)).toBe(false);
        expect(await verifier.verify(own.publicKey, "own", utf8("header.other"), signature)).toBe(false);
      }
    });

    test("refuses a signature of another length or encoding without throwing", async () => {
      const verifier = create();
      const { publicKey, sign } = await newKey();
      const data = utf8("header.payload");
      const signature = await sign(data);
      const malformed = [
        new Uint8Array(0),
        new Uint8Array(64),
        signature.slice(0, 63),
        Uint8Array.from([...signature, 0]),
        Uint8Array.from([0x30, 0x44, 0x02, 0x20, ...signature.slice(0, 32), 0x02, 0x20, ...signature.slice(32)]),
      ];
      for (const bytes of malformed) expect(await verifier.verify(publicKey, "own", data, bytes)).toBe(false);
    });
  });
}

async function newKey() {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const { x = "", y = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  const publicKey: PublicKeyJwk = { kty: "EC", crv: "P-256", x, y };
  return {
    publicKey,
    sign: async (data: Uint8Array<ArrayBuffer>) =>
      new Uint8Array(await crypto.subtle.sign(ES256, pair.privateKey, data)),
  };
}
