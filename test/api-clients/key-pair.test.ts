import { execFileSync } from "node:child_process";
import { createPublicKey, verify } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { importPKCS8, SignJWT } from "jose";
import { afterAll, expect, test } from "vitest";
import { generateKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { fromPem, toPem } from "../../lib/protocol/oauth/pem.ts";
import { parsePublicKey } from "../../lib/protocol/oauth/public-key.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-keys-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("openssl reads a generated private key as a P-256 key in PKCS#8", async () => {
  const { privateKeyPem } = await generateKeyPair();
  const text = openssl(["pkey", "-noout", "-text", "-check"], privateKeyPem);
  expect(privateKeyPem).toMatch(/^-----BEGIN PRIVATE KEY-----\n([A-Za-z0-9+/=]{1,64}\n)+-----END PRIVATE KEY-----\n$/);
  expect(text).toContain("Key is valid");
  expect(text).toContain("prime256v1");
});

test("what openssl derives from the private key is the public key that is kept", async () => {
  const { privateKeyPem, publicKey } = await generateKeyPair();
  const derived = openssl(["pkey", "-pubout"], privateKeyPem);
  expect(await parsePublicKey(derived)).toEqual(publicKey);
});

test("a signature made by openssl with the private key verifies with the public key", async () => {
  const { privateKeyPem, publicKey } = await generateKeyPair();
  const key = join(folder, "key.pem");
  writeFileSync(key, privateKeyPem, { mode: 0o600 });
  const signature = execFileSync("openssl", ["dgst", "-sha256", "-sign", key], { input: "signed text" });
  const verifier = createPublicKey({ key: { ...publicKey }, format: "jwk" });
  expect(verify("sha256", Buffer.from("signed text"), verifier, signature)).toBe(true);
});

test("jose signs ES256 with the private key", async () => {
  const { privateKeyPem } = await generateKeyPair();
  const key = await importPKCS8(privateKeyPem, "ES256");
  expect(await new SignJWT({}).setProtectedHeader({ alg: "ES256" }).sign(key)).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/);
});

test("no two generated pairs are equal", async () => {
  const pairs = await Promise.all(Array.from({ length: 10 }, () => generateKeyPair()));
  expect(new Set(pairs.map(({ publicKey }) => publicKey.x)).size).toBe(10);
});

test.each([1, 47, 48, 49, 96, 300])("PEM of %i bytes reads back", (length) => {
  const der = Uint8Array.from({ length }, (_, i) => i % 256);
  expect(fromPem(toPem("PUBLIC KEY", der))).toEqual({ label: "PUBLIC KEY", der });
});

test.each([
  ["nothing", ""],
  ["two blocks", toPem("PUBLIC KEY", new Uint8Array(9)).repeat(2)],
  ["different labels", "-----BEGIN A-----\nAAAA\n-----END B-----"],
  ["no base64", "-----BEGIN A-----\nA*AA\n-----END A-----"],
  ["broken padding", "-----BEGIN A-----\nA=AA\n-----END A-----"],
  ["text around it", `x${toPem("PUBLIC KEY", new Uint8Array(9))}`],
])("%s is not one PEM block", (_, text) => expect(fromPem(text)).toBeUndefined());

function openssl(args: readonly string[], input: string): string {
  return execFileSync("openssl", [...args], { input, encoding: "utf8" });
}
