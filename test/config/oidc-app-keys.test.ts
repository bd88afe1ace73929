import { exportJWK, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { mistakes, startMistakes } from "./support.ts";

const KEY = await exportJWK((await generateKeyPair("ES256", { extractable: true })).publicKey);
const document = (credentials: string) =>
  `version: 1\noidcProvider: {region: us}\napps: [{name: agent, type: oidc, clientID: agent, ${credentials}}]`;

describe("an oidc app", () => {
  test.each([
    ["of RSA", { kty: "RSA", n: "AQAB", e: "AQAB" }],
    ["of another curve", { kty: "EC", crv: "P-384", x: "a", y: "b" }],
    ["without coordinates", { kty: "EC" }],
    ["of a kind that is none", { kty: "foo" }],
    ["that is no point of the curve", { ...KEY, y: KEY.x }],
    ["for encryption", { ...KEY, use: "enc" }],
    ["of which no operation verifies", { ...KEY, key_ops: ["sign"] }],
  ])("10. cannot authenticate with a key %s, which is told of each", async (_, key) => {
    for (const [jwks, keys] of [
      [[KEY, key, key], "jwks"],
      [{ keys: [KEY, key, key] }, "jwks.keys"],
    ] as const) {
      const found = await startMistakes(document(`credentials: {jwks: ${JSON.stringify(jwks)}}`));
      expect(found).toHaveLength(2);
      expect(found.map((line) => line.replace(/^\d+:\d+: /, ""))).toEqual(
        [1, 2].map((index) =>
          expect.stringContaining(
            `apps[0].credentials.${keys}[${index}]: found no public key for ES256; accepted: a JWK`,
          ),
        ),
      );
    }
  });

  test.each([
    ["[{foo: 1}]", "jwks[0].kty: required and missing"],
    ["[1]", "jwks[0]: found a number"],
    ["{keys: [{kty: 5}]}", "jwks.keys[0].kty: found a number"],
  ])("that has %s for keys is told which entry is none", async (jwks, message) => {
    expect(await mistakes(document(`credentials: {jwks: ${jwks}}`))).toEqual([
      expect.stringContaining(`apps[0].credentials.${message}; accepted: a public key for ES256 as JWK`),
    ]);
  });
});
