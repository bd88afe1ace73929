import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { exportJWK } from "jose";
import { expect, test } from "vitest";
import { encodeJson, secondsFromNow, signAssertion, tokenEndpointOf } from "../behaviour/fixture.ts";
import { assertionAnswer, refusal, type SecurityContext, tokenAnswer } from "./context.ts";

const ES256 = '{"alg":"ES256"}';

export function header(context: SecurityContext): void {
  const invalidSignature = refusal("invalid JWT signature");
  const invalidShape = refusal("failed to parse JWT");

  test("2. alg none with and without a signature is refused", async () => {
    const [, payload, signature] = (await signAssertion(context.signer, context.us)).split(".");
    const unsecured = `${encodeJson({ alg: "none" })}.${payload}`;
    expect(await assertionAnswer(context, `${unsecured}.`)).toMatchObject(invalidSignature);
    expect(await assertionAnswer(context, `${unsecured}.${signature}`)).toMatchObject(invalidSignature);
  });

  test("2. HS256 with the public key as the secret is refused", async () => {
    const pem = createPublicKey(context.signer.key.pem).export({ type: "spki", format: "pem" });
    const input = signingInput(context, { alg: "HS256", typ: "JWT" });
    const mac = createHmac("sha256", pem).update(input).digest("base64url");
    expect(await assertionAnswer(context, `${input}.${mac}`)).toMatchObject(invalidSignature);
  });

  test("2. RS256 and ES384 are refused", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
    const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey;
    for (const [alg, hash, key] of [["RS256", "sha256", rsa] as const, ["ES384", "sha384", p384] as const]) {
      expect(await assertionAnswer(context, nodeSigned(context, { alg }, hash, key))).toMatchObject(invalidSignature);
    }
  });

  test("2. a key in the header is not trusted", async () => {
    const attacker = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const jwk = await exportJWK(attacker.publicKey);
    const assertion = nodeSigned(context, { alg: "ES256", jwk }, "sha256", attacker.privateKey);
    expect(await assertionAnswer(context, assertion)).toMatchObject(invalidSignature);
  });

  test.each([
    ["crit", { crit: ["exp"] }],
    ["an empty crit", { crit: [] }],
    ["jwk", { jwk: {} }],
    ["jku", { jku: "https://elsewhere.example/keys" }],
    ["x5c", { x5c: ["MIIB"] }],
    ["x5u", { x5u: "https://elsewhere.example/cert" }],
    ["alg in lower case", { alg: "es256" }],
    ["no alg", { alg: undefined }],
    ["a kid that is a number", { kid: 1 }],
  ])("2. a header with %s is refused although the signature is right", async (_, member) => {
    expect(await tokenAnswer(context, { header: member })).toMatchObject(invalidSignature);
  });

  test("2. of members that are there twice the last one counts, in claims and header", async () => {
    const { clientId, key } = context.signer;
    const claims = (members: string) =>
      `{"iss":"${clientId}","aud":"${tokenEndpointOf(context.us)}","exp":${secondsFromNow(60)},${members}}`;
    const right = claims(`"sub":"client_x","sub":"${clientId}"`);
    const wrong = claims(`"sub":"${clientId}","sub":"client_x"`);
    const answers = [
      [ES256, right, "accepted"],
      [ES256, wrong, "invalid client"],
      ['{"alg":"none","alg":"ES256"}', right, "accepted"],
      ['{"alg":"ES256","alg":"none"}', right, "invalid JWT signature"],
      ['{"alg":"ES256","crit":["x"],"crit":[]}', right, "invalid JWT signature"],
    ] as const;
    for (const [protectedHeader, payload, expected] of answers) {
      const input = [protectedHeader, payload].map((text) => Buffer.from(text).toString("base64url")).join(".");
      const signature = sign("sha256", Buffer.from(input), { key: key.pem, dsaEncoding: "ieee-p1363" });
      const answer = await assertionAnswer(context, `${input}.${signature.toString("base64url")}`);
      if (expected === "accepted") expect(answer.status).toBe(200);
      else expect(answer).toMatchObject(refusal(expected));
    }
  });

  test("2. a member named __proto__ is a member like any other", async () => {
    const { clientId, key } = context.signer;
    const payload = `{"__proto__":{"sub":"${clientId}","iss":"${clientId}"},"aud":"${context.us.url}","exp":${secondsFromNow(60)}}`;
    const input = [ES256, payload].map((text) => Buffer.from(text).toString("base64url")).join(".");
    const signature = sign("sha256", Buffer.from(input), { key: key.pem, dsaEncoding: "ieee-p1363" });
    expect(await assertionAnswer(context, `${input}.${signature.toString("base64url")}`)).toMatchObject(
      refusal("invalid client"),
    );
  });

  test("2. four segments, JSON serialization and stray white space are refused", async () => {
    const assertion = await signAssertion(context.signer, context.us);
    const [protectedHeader, payload, signature] = assertion.split(".");
    const json = JSON.stringify({ protected: protectedHeader, payload, signature });
    for (const text of [`${assertion}.`, `${assertion}.AA`, json, ` ${assertion}`, `${assertion}\n`]) {
      expect(await assertionAnswer(context, text)).toMatchObject(invalidShape);
    }
  });

  test("2. base64url that is padded, of the other alphabet or not canonical is refused", async () => {
    const assertion = await signAssertion(context.signer, context.us);
    const last = assertion.at(-1) as string;
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const sameBytes = assertion.slice(0, -1) + alphabet[alphabet.indexOf(last) + 1];
    for (const text of [`${assertion}==`, `${assertion.slice(0, -1)}+`, sameBytes]) {
      expect(await assertionAnswer(context, text)).toMatchObject(invalidShape);
    }
  });

  test("2. a signature of zeros, in DER or cut short is refused", async () => {
    const input = signingInput(context, { alg: "ES256", typ: "JWT" });
    const der = sign("sha256", Buffer.from(input), context.signer.key.pem).toString("base64url");
    const zeros = Buffer.alloc(64).toString("base64url");
    const short = (await signAssertion(context.signer, context.us)).split(".")[2]?.slice(0, -2);
    for (const signature of [der, zeros, short, ""]) {
      expect(await assertionAnswer(context, `${input}.${signature}`)).toMatchObject(invalidSignature);
    }
  });
}

function signingInput({ us, signer }: SecurityContext, protectedHeader: object): string {
  const { clientId } = signer;
  const claims = { iss: clientId, sub: clientId, aud: tokenEndpointOf(us), exp: secondsFromNow(60) };
  return `${encodeJson(protectedHeader)}.${encodeJson(claims)}`;
}

function nodeSigned(context: SecurityContext, protectedHeader: object, hash: string, key: KeyObject): string {
  const input = signingInput(context, protectedHeader);
  return `${input}.${sign(hash, Buffer.from(input), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}
