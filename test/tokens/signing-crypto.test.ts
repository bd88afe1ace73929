import { createHash } from "node:crypto";
import { compactVerify, exportJWK, generateKeyPair, importJWK } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeSigningCrypto } from "../../infra/node/crypto/signing-crypto.ts";
import { seal, unseal } from "../../lib/authorization-server/keys/own-key.ts";
import { webSigningCrypto } from "../../lib/authorization-server/keys/signing-crypto.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";

const cryptos = { node: nodeSigningCrypto(), web: webSigningCrypto() };
const names = ["node", "web"] as const;

describe.each(["ES256", "RS256"] as const)("%s", (algorithm) => {
  let privateKey: object;
  let publicKey: object;
  beforeAll(async () => {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    // What a configured key may say besides changes nothing.
    privateKey = { ...(await exportJWK(pair.privateKey)), use: "sig", key_ops: ["sign"], kid: "k" };
    publicKey = { ...(await exportJWK(pair.publicKey)), use: "sig", alg: algorithm, kid: "k" };
  });

  test.each(names.flatMap((signer) => names.map((verifier) => [signer, verifier] as const)))(
    "what %s signs, %s and a library verify, and nothing else",
    async (signer, verifier) => {
      const header = Buffer.from(JSON.stringify({ alg: algorithm })).toString("base64url");
      const data = utf8(`${header}.e30`);
      const signature = new Uint8Array(await cryptos[signer].sign({ algorithm, jwk: privateKey }, data));
      const verify = (bytes: Uint8Array<ArrayBuffer>, of = data) =>
        cryptos[verifier].verify({ algorithm, jwk: publicKey }, of, bytes);
      expect(await verify(signature)).toBe(true);
      expect(await verify(signature, utf8(`${header}.e31`))).toBe(false);
      expect(await verify(signature.map((byte, at) => (at === 9 ? byte ^ 1 : byte)))).toBe(false);
      for (const bytes of [new Uint8Array(), signature.slice(1), new Uint8Array([...signature, 0])]) {
        expect(await verify(bytes)).toBe(false);
      }
      const text = `${Buffer.from(data)}.${Buffer.from(signature).toString("base64url")}`;
      await compactVerify(text, await importJWK(publicKey, algorithm));
    },
  );
});

describe("sealing", () => {
  const secret = webCryptoRandom.bytes(32);
  const key = utf8("a private key");

  test("opens with the same secret and name alone", async () => {
    const sealed = await seal(key, "kid", secret, webCryptoRandom);
    expect(await unseal(sealed, "kid", secret)).toEqual(key);
    expect(await unseal(sealed, "another", secret)).toBeUndefined();
    expect(await unseal(sealed, "kid", webCryptoRandom.bytes(32))).toBeUndefined();
  });

  test("is another text each time, and damage is noticed wherever it is", async () => {
    const sealed = await seal(key, "kid", secret, webCryptoRandom);
    expect(await seal(key, "kid", secret, webCryptoRandom)).not.toBe(sealed);
    for (let at = 0; at < sealed.length; at++) {
      const damaged = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
      expect(await unseal(damaged, "kid", secret)).toBeUndefined();
    }
    for (const text of ["", "x", "not base64url!", sealed.slice(0, 16)]) {
      expect(await unseal(text, "kid", secret)).toBeUndefined();
    }
  });

  test("holds nothing of what is sealed in the clear", async () => {
    const sealed = Buffer.from(await seal(key, "kid", secret, webCryptoRandom), "base64url");
    expect(sealed.includes(Buffer.from(key))).toBe(false);
    expect(sealed.includes(createHash("sha256").update(key).digest())).toBe(false);
  });
});
