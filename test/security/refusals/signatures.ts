import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { encodeJson, secondsFromNow, signAssertion, tokenEndpointOf } from "../../behaviour/fixture.ts";
import type { AssertionCase, AssertionRow, RefusalContext } from "./row.ts";

const ES256 = { alg: "ES256", typ: "JWT" };

const ORDER = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

/** Replacements for the 64 bytes of a right signature. */
const alteredSignatures: readonly AssertionCase[] = (
  [
    ["cut by a byte", (right) => right.subarray(0, 63)],
    ["longer by a byte", (right) => Buffer.concat([right, Buffer.alloc(1)])],
    ["of no bytes", () => Buffer.alloc(0)],
    ["of zeros", () => Buffer.alloc(64)],
    ["with r zero", (right) => Buffer.concat([Buffer.alloc(32), right.subarray(32)])],
    ["with s zero", (right) => Buffer.concat([right.subarray(0, 32), Buffer.alloc(32)])],
    ["with r and s the order of the curve", () => Buffer.concat([ORDER, ORDER])],
    ["of ones", () => Buffer.alloc(64, 0xff)],
    ["with r and s exchanged", (right) => Buffer.concat([right.subarray(32), right.subarray(0, 32)])],
    ["with one bit changed", (right) => Buffer.concat([Buffer.from([right.readUInt8(0) ^ 1]), right.subarray(1)])],
  ] satisfies [string, (right: Buffer) => Uint8Array][]
).map(([what, alter]) => [
  `with a signature ${what}`,
  async (context) => {
    const right = Buffer.from((await signAssertion(context.signer, context.us)).split(".")[2] ?? "", "base64url");
    return withSegment(context, 2, Buffer.from(alter(right)).toString("base64url"));
  },
]);

/** No active key of the client verifies the assertion, or its header asks for something else than ES256. */
export const badSignature: AssertionRow = {
  description: "invalid JWT signature",
  cases: [
    ["of alg none without signature", (context) => `${input(context, { alg: "none" })}.`],
    ...["none", "None", "HS256", "RS256", "ES384", "es256", "ES256K", "", null, 1, ["ES256"], undefined].map(
      (alg): AssertionCase => header(`of alg ${JSON.stringify(alg) ?? "nothing"}, rightly signed by ES256`, { alg }),
    ),
    ["of HS256 with the public key as the secret", (context) => hmac(context, "pem")],
    ["of HS256 with the public key's DER as the secret", (context) => hmac(context, "der")],
    ["of RS256", (context) => nodeSigned(context, { alg: "RS256" }, "sha256", rsaKey())],
    ["of ES384", (context) => nodeSigned(context, { alg: "ES384" }, "sha384", curveKey("P-384"))],
    ["of ES256 on another curve", (context) => nodeSigned(context, ES256, "sha256", curveKey("secp256k1"))],
    ...["crit", "jwk", "jku", "x5c", "x5u"].flatMap((name) =>
      [["exp"], [], {}, "https://elsewhere.example", null].map((value) =>
        header(`with ${name} ${JSON.stringify(value)}`, { [name]: value }),
      ),
    ),
    ["with a signature in DER", derSigned],
    ["of a key that its header brings along", embeddedKey],
    ...[1, null, true, {}, []].map((kid) => header(`with kid ${JSON.stringify(kid)}`, { kid })),
    header("with an unknown kid", { kid: "unknown" }),
    header("with an empty kid", { kid: "" }),
    ["with the kid of another client", kidOfOther],
    ["of a revoked key", ({ revoked, us }) => signAssertion(revoked, us)],
    [
      "of a revoked key that it names",
      ({ revoked, us }) => signAssertion(revoked, us, { header: { kid: revoked.key.fingerprint } }),
    ],
    [
      "of a revoked key under the kid of one that is not",
      ({ revoked, kept, us }) => signAssertion(revoked, us, { header: { kid: kept.key.fingerprint } }),
    ],
    ["of another client's key", ({ signer, other, us }) => signAssertion({ ...signer, key: other.key }, us)],
    ["of a client without keys", ({ keyless, us }) => signAssertion(keyless, us)],
    ...alteredSignatures,
    ["with claims that are not the signed ones", (context) => withSegment(context, 1, encodeJson(claims(context)))],
    ["with a header that is not the signed one", (context) => withSegment(context, 0, encodeJson({ ...ES256, x: 1 }))],
  ],
};

function header(condition: string, members: Readonly<Record<string, unknown>>): AssertionCase {
  return [condition, ({ signer, us }) => signAssertion(signer, us, { header: members })];
}

function claims({ us, signer: { clientId } }: RefusalContext) {
  return { iss: clientId, sub: clientId, aud: tokenEndpointOf(us), exp: secondsFromNow(60) };
}

function input(context: RefusalContext, protectedHeader: object): string {
  return `${encodeJson(protectedHeader)}.${encodeJson(claims(context))}`;
}

function hmac(context: RefusalContext, format: "pem" | "der"): string {
  const publicKey = createPublicKey(context.signer.key.pem);
  const secret =
    format === "pem"
      ? publicKey.export({ type: "spki", format: "pem" })
      : publicKey.export({ type: "spki", format: "der" });
  const text = input(context, { alg: "HS256" });
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

function nodeSigned(context: RefusalContext, protectedHeader: object, hash: string, key: KeyObject): string {
  const text = input(context, protectedHeader);
  return `${text}.${sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url")}`;
}

function embeddedKey(context: RefusalContext): string {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return nodeSigned(context, { alg: "ES256", jwk: publicKey.export({ format: "jwk" }) }, "sha256", privateKey);
}

function kidOfOther({ signer, other, us }: RefusalContext): Promise<string> {
  return signAssertion({ ...signer, key: other.key }, us, { header: { kid: other.key.fingerprint } });
}

async function withSegment({ signer, us }: RefusalContext, at: number, segment: string): Promise<string> {
  const segments = (await signAssertion(signer, us)).split(".");
  return segments.map((right, index) => (index === at ? segment : right)).join(".");
}

function rsaKey(): KeyObject {
  return generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
}

function curveKey(namedCurve: string): KeyObject {
  return generateKeyPairSync("ec", { namedCurve }).privateKey;
}

function derSigned(context: RefusalContext): string {
  const text = input(context, ES256);
  return `${text}.${sign("sha256", Buffer.from(text), context.signer.key.pem).toString("base64url")}`;
}
