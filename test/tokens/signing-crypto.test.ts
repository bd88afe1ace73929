import { compactVerify, exportJWK, generateKeyPair, importJWK } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import { nodeSigningCrypto } from "../../infra/node/crypto/signing-crypto.ts";
import { webSigningCrypto } from "../../lib/authorization-server/keys/signing-crypto.ts";
import { utf8 } from "../../lib/kernel/encoding.ts";

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
