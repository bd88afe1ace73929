import { generateKeyPairSync } from "node:crypto";
import { calculateJwkThumbprint, exportJWK, exportPKCS8, exportSPKI, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes } from "./support.ts";

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
          /^2:\d+: oidcProvider\.jwks\[0\]\.publicKey: found no public key for ES256; accepted: PEM \(SPKI or PKCS #1\) or JWK$/,
        ),
      ]);
    }
  });
});

test("10. a short key is not published either", async () => {
  const { publicKey } = generateKeyPairSync("rsa", { modulusLength: 1024 });
  for (const key of [publicKey.export({ type: "spki", format: "pem" }), publicKey.export({ format: "jwk" })]) {
    expect(await startMistakes(withKey("RS256", key))).toEqual([
      expect.stringMatching(/jwks\[0\]\.publicKey: found a key that is too short; accepted: at least 2048 bits$/),
    ]);
  }
});

const withPair = (algorithm: string, publicKey: unknown, privateKey: unknown) =>
  `version: "1"\noidcProvider: {region: us, jwks: [{algorithm: ${algorithm}, publicKey: ${JSON.stringify(publicKey)}, privateKey: ${JSON.stringify(privateKey)}}]}`;

describe("oidcProvider.jwks[].privateKey", () => {
  test.each([
    ["ES256", "ES256"],
    ["RS256", "RS256"],
    ["RSA256", "RS256"],
  ] as const)("an %s key in PEM, as a JWK or as the text of one signs as %s", async (algorithm, alg) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
    const [jwk, privateJwk] = [await exportJWK(publicKey), await exportJWK(privateKey)];
    const published = { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" };
    for (const half of [await exportPKCS8(privateKey), privateJwk, JSON.stringify(privateJwk)]) {
      const { oidcProvider } = await configurationOf(withPair(algorithm, jwk, half));
      expect(oidcProvider?.publicKeys).toEqual([published]);
      expect(oidcProvider?.signingKeys).toEqual([{ algorithm: alg, publicKey: published, privateKey: privateJwk }]);
    }
  });

  test.each([
    ["RS256", "pkcs1", "rsa", { modulusLength: 2048 }],
    ["ES256", "sec1", "ec", { namedCurve: "P-256" }],
  ] as const)("an %s key in the older form %s is read", async (algorithm, type, kind, options) => {
    const { publicKey, privateKey } = generateKeyPairSync(kind as "rsa", options as { modulusLength: number });
    const older = privateKey.export({ type, format: "pem" } as never) as unknown as string;
    const parameters = "-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n";
    const halves = kind === "ec" ? [older, parameters + older] : [older];
    const jwk = publicKey.export({ format: "jwk" });
    const publics = kind === "ec" ? [jwk] : [jwk, publicKey.export({ type: "pkcs1", format: "pem" })];
    for (const half of halves)
      for (const whole of publics) {
        const { signingKeys = [] } = (await configurationOf(withPair(algorithm, whole, half))).oidcProvider ?? {};
        expect(signingKeys).toMatchObject([{ algorithm, privateKey: privateKey.export({ format: "jwk" }) }]);
      }
    const locked = privateKey.export({ type, format: "pem", cipher: "aes-128-cbc", passphrase: "hunter2" } as never);
    expect(await mistakes(withPair(algorithm, jwk, locked))).toEqual([
      expect.stringContaining("PEM text (PKCS #8, PKCS #1 or SEC 1, without passphrase) or as a JWK; `openssl pkcs8"),
    ]);
  });

  test("of several keys those sign that have a private half, in their order", async () => {
    const pairs = await Promise.all([1, 2, 3].map(() => generateKeyPair("ES256", { extractable: true })));
    const entries = await Promise.all(
      pairs.map(async ({ publicKey, privateKey }, index) => ({
        algorithm: "ES256",
        publicKey: await exportSPKI(publicKey),
        ...(index > 0 && { privateKey: await exportPKCS8(privateKey) }),
      })),
    );
    const text = `version: 1\noidcProvider: {region: us, jwks: ${JSON.stringify(entries)}}`;
    const { publicKeys = [], signingKeys = [] } = (await configurationOf(text)).oidcProvider ?? {};
    expect(publicKeys).toHaveLength(3);
    expect(signingKeys.map((pair) => pair.publicKey)).toEqual(publicKeys.slice(1));
  });

  test("10. the half of another pair, also under the public members of this one, is refused and not quoted", async () => {
    const [one, other] = await Promise.all([1, 2].map(() => generateKeyPair("ES256", { extractable: true })));
    if (one === undefined || other === undefined) throw new Error("there are two pairs");
    const jwk = await exportJWK(one.publicKey);
    const { d } = await exportJWK(other.privateKey);
    for (const half of [await exportPKCS8(other.privateKey), { ...jwk, d }]) {
      const found = await startMistakes(withPair("ES256", jwk, half));
      expect(found).toEqual([expect.stringMatching(/jwks\[0\]\.privateKey: found (a|no) private key/)]);
      expect(found.join()).not.toContain(d);
    }
  });

  test("10. short, foreign and broken keys are refused and not quoted", async () => {
    const short = generateKeyPairSync("rsa", { modulusLength: 1024 });
    const [spki, pkcs8] = [short.publicKey, short.privateKey].map((half) =>
      half.export({ type: half.type === "public" ? "spki" : "pkcs8", format: "pem" } as never),
    );
    expect(await startMistakes(withPair("RS256", spki, pkcs8))).toEqual([
      expect.stringContaining("publicKey: found a key that is too short; accepted: at least 2048 bits"),
    ]);
    const long = await exportSPKI((await generateKeyPair("RS256", { extractable: true })).publicKey);
    expect(await startMistakes(withPair("RS256", long, pkcs8))).toEqual([
      expect.stringContaining("privateKey: found a key that is too short to sign with; accepted: at least 2048 bits"),
    ]);
    const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
    const broken = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----";
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({ type: "pkcs8", format: "pem" });
    for (const half of [broken, p384, { ...(await exportJWK(privateKey)), d: "aHVudGVyMg" }]) {
      const found = await startMistakes(withPair("ES256", await exportSPKI(publicKey), half));
      expect(found).toEqual([expect.stringContaining("jwks[0].privateKey: found no private key for ES256")]);
      expect(found.join()).not.toContain("hunter2");
    }
    const found = await mistakes(withPair("ES256", "a", "hunter2"));
    expect(found).toEqual([expect.stringContaining("jwks[0].privateKey: found text; accepted: a private key as PEM")]);
    expect(found.join()).not.toContain("hunter2");
  });
});
