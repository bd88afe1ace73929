import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { configurationOf, startMistakes } from "./support.ts";

const withKey = (algorithm: string, publicKey: unknown) =>
  `version: "1"\noidcProvider: {region: us, jwks: [{algorithm: ${algorithm}, publicKey: ${JSON.stringify(publicKey)}}]}`;

describe("oidcProvider.jwks", () => {
  test.each([
    ["ES256", "ES256"],
    ["RS256", "RS256"],
    ["RSA256", "RS256"],
  ])("an %s key in PEM or as a JWK is published as %s under its thumbprint", async (algorithm, alg) => {
    const { publicKey } = await generateKeyPair(alg, { extractable: true });
    const jwk = await exportJWK(publicKey);
    const published = [{ ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" }];
    const pem = withKey(algorithm, await exportSPKI(publicKey));
    expect((await configurationOf(pem)).oidcProvider?.publicKeys).toEqual(published);
    const extra = withKey(algorithm, { ...jwk, kid: "own", key_ops: ["verify"] });
    expect((await configurationOf(extra)).oidcProvider?.publicKeys).toEqual(published);
  });

  test("a private key, a secret, a key of another kind and nonsense are refused and not quoted", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const rsa = await generateKeyPair("RS256", { extractable: true });
    for (const key of [
      await exportJWK(privateKey),
      { kty: "oct", k: "aHVudGVyMg" },
      await exportSPKI(rsa.publicKey),
      "-----BEGIN PUBLIC KEY-----\nhunter2\n-----END PUBLIC KEY-----",
      "hunter2",
    ]) {
      expect(await startMistakes(withKey("ES256", key))).toEqual([
        expect.stringMatching(
          /^2:\d+: oidcProvider\.jwks\[0\]\.publicKey: found no public key for ES256; accepted: PEM \(SPKI\) or JWK$/,
        ),
      ]);
    }
  });
});
