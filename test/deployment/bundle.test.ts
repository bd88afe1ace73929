import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { exportJWK, FlattenedSign, SignJWT } from "jose";
import { beforeAll, describe, expect, test } from "vitest";
import type { ConfigurationArtifact } from "../../lib/config/artifact.ts";
import { artifactOf, openBundle, readPublisherKeys, signBundle } from "../../lib/deployment/bundle.ts";
import { objectionTo } from "../../lib/deployment/objections.ts";
import { ABOUT, type Publisher, publisher, versioned } from "./bundles.ts";

let ours: Publisher;
let others: Publisher;
let artifact: ConfigurationArtifact;
let good: string;
beforeAll(async () => {
  [ours, others, artifact] = await Promise.all([publisher(), publisher(), versioned("1")]);
  good = text(await ours.bundle(artifact));
});

describe("81. a bundle", () => {
  test("reads back as it was published, plain and as gzip", async () => {
    const about = { region: "us", revision: 7, rollbackOf: 3, reason: "ü", expiresAt: "2027-01-01T00:00:00+01:00" };
    const bytes = await ours.bundle(artifact, { ...about, minimumVersion: "0.1.0" });
    for (const one of [bytes, new Uint8Array(gzipSync(bytes))]) {
      const publication = await openBundle(one, ours.keys);
      expect(publication).toMatchObject({ ...ABOUT, ...about });
      expect(artifactOf(publication)).toEqual({
        ...artifact,
        published: { revision: 7, digest: publication.digest },
      });
    }
  });

  test("is no other's with one byte flipped, wherever it is", async () => {
    const bytes = bytesOf(good);
    const before = await openBundle(bytes, ours.keys);
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length - 1), fc.nat(7), async (at, bit) => {
        const flipped = bytes.slice();
        flipped[at] = (flipped[at] as number) ^ (1 << bit);
        const opened = await openBundle(flipped, ours.keys).catch((error: Error) => error.name);
        if (opened !== "BundleError") expect(opened).toEqual(before);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each<readonly [string, () => Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>, RegExp]>([
    ["that nobody signed", () => rewritten({ signature: "AAAA" }), /signature that does not fit/],
    ["without a signature", () => bytesOf(JSON.stringify({ ...parsed(), signature: undefined })), /each once/],
    [
      "with alg none",
      () => withHeader({ alg: "none", kid: ours.kid, typ: TYP }),
      /signed with "none"; accepted: ES256/,
    ],
    [
      "with HS256 over the public key",
      async () => {
        const jws = await new FlattenedSign(payload())
          .setProtectedHeader({ alg: "HS256", kid: ours.kid, typ: TYP })
          .sign(bytesOf(ours.publicPem));
        return bytesOf(JSON.stringify(jws));
      },
      /signed with "HS256"/,
    ],
    [
      "with a key of its own in the header",
      async () => {
        const jwk = await exportJWK(others.privateKey);
        const { d: _, ...open } = jwk;
        const jws = await new FlattenedSign(payload())
          .setProtectedHeader({ alg: "ES256", kid: ours.kid, typ: TYP, jwk: open })
          .sign(others.privateKey);
        return bytesOf(JSON.stringify(jws));
      },
      /has "jwk" in its header/,
    ],
    ["of another publisher", () => others.bundle(artifact), /none of this instance's; it knows/],
    [
      "of another publisher under a known kid",
      async () => bytesOf(await signBundle(await published(), others.privateKey, ours.kid)),
      /signature that does not fit/,
    ],
    ["without a kid", () => withHeader({ alg: "ES256", typ: TYP }), /names no key in kid/],
    ["of another typ", () => withHeader({ alg: "ES256", kid: ours.kid, typ: "JWT" }), /another typ/],
    [
      "with crit",
      () => withHeader({ alg: "ES256", kid: ours.kid, typ: TYP, crit: ["b64"], b64: false }),
      /in its header/,
    ],
    ["with an unprotected header", () => rewritten({ header: { kid: "x" } }), /each once/],
    ["with a member twice", () => bytesOf(good.replace('"payload"', '"payload":"AAAA","payload"')), /each once/],
    [
      "that is a JWT of the same key",
      async () => {
        const jwt = await new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: ours.kid }).sign(ours.privateKey);
        const [header, body, signature] = jwt.split(".");
        return bytesOf(JSON.stringify({ protected: header, payload: body, signature }));
      },
      /another typ/,
    ],
    [
      "with another payload",
      () => rewritten({ payload: btoa("{}").replaceAll("=", "") }),
      /signature that does not fit/,
    ],
    [
      "with another digest",
      () => ours.bundle(artifact, { digest: "0".repeat(64) }),
      /another digest than its artifact/,
    ],
    [
      "with an unknown member",
      () => ours.bundle(artifact, { extra: 1 } as never),
      /payload that this release does not take/,
    ],
    ["of revision 0", () => ours.bundle(artifact, { revision: 0 }), /revision/],
    ["that is no JSON", () => bytesOf("key: value"), /is no JWS/],
    ["that is empty", () => new Uint8Array(), /is no JWS/],
    ["of 50 MB", () => new Uint8Array(50_000_000), /larger than 20000000 bytes/],
    ["that unpacks to 100 MB", () => bomb(), /larger than 20000000 bytes/],
    ["of damaged gzip", () => new Uint8Array(gzipSync(good)).subarray(0, 200), /damaged gzip/],
  ])("%s is refused", async (_, make, message) => {
    await expect(async () => openBundle(await make(), ours.keys)).rejects.toThrow(message);
  });

  test.each([
    ["no compiled configuration", "null"],
    ["another format", '{"format":2}'],
    ["text", "x"],
  ])("with %s for an artifact is refused", async (_, contents) => {
    const digest = Buffer.from(await crypto.subtle.digest("SHA-256", bytesOf(contents))).toString("hex");
    const publication = await openBundle(await ours.bundle(artifact, { artifact: contents, digest }), ours.keys);
    expect(() => artifactOf(publication)).toThrow(/no compiled configuration|no JSON/);
  });
});

describe("81. an instance", () => {
  const terms = { deployment: "production", region: "us", version: "0.2.0", highest: 4, now: Date.parse("2026-11-02") };
  const publication = { ...ABOUT, region: "us", revision: 5, digest: "", artifact: "" };

  test.each<readonly [string, Partial<typeof publication & { expiresAt: string; minimumVersion: string }>, RegExp]>([
    ["another deployment", { deployment: "staging" }, /for the deployment "staging"; this is "production"/],
    ["another region", { region: "uk" }, /the region "uk"; this instance has the region "us"/],
    ["no region", { region: undefined as never }, /for no region/],
    ["a lower revision", { revision: 3 }, /revision 4 was in use already, and only a higher one follows/],
    ["the same revision", { revision: 4 }, /revision 4 was in use already/],
    ["a release to come", { minimumVersion: "0.10.0" }, /needs release 0.10.0 or a later one; this is 0.2.0/],
    ["a time that is over", { expiresAt: "2026-11-01T13:00:00Z" }, /expired/],
  ])("takes nothing over that is for %s", (_, changed, message) => {
    expect(objectionTo(publication, terms)).toBe(undefined);
    expect(objectionTo({ ...publication, ...changed }, terms)).toMatch(message);
  });

  test("takes what an older release takes, too, and what has not expired yet", () => {
    const more = { minimumVersion: "0.2.0", expiresAt: "2026-11-03T00:00:00Z" };
    expect(objectionTo({ ...publication, ...more }, terms)).toBe(undefined);
  });
});

describe("81. keys of publishers", () => {
  test("are read from PEM, one after the other, from a JWK and from a JWK Set, under their thumbprints", async () => {
    const jwks = await Promise.all([ours, others].map(async ({ publicPem }) => jwkOf(publicPem)));
    const texts = [ours.publicPem + others.publicPem, JSON.stringify({ keys: jwks })];
    for (const keys of texts) expect([...(await readPublisherKeys(keys)).keys()]).toEqual([ours.kid, others.kid]);
    expect([...(await readPublisherKeys(JSON.stringify(jwks[0]))).keys()]).toEqual([ours.kid]);
  });

  test.each<readonly [string, () => string | Promise<string>, RegExp]>([
    ["nothing", () => "", /holds no public key/],
    ["a private key in PEM", () => ours.privatePem, /holds a private key/],
    ["a private JWK", async () => JSON.stringify(await exportJWK(ours.privateKey)), /holds a private key/],
    ["something else", () => "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----", /no public P-256 key/],
    ["a symmetric key", () => '{"kty":"oct","k":"AAAA"}', /no public P-256 key/],
  ])("are refused where there is %s", async (_, make, message) => {
    await expect(async () => readPublisherKeys(await make())).rejects.toThrow(message);
  });
});

const TYP = "countersign-bundle+jws";

async function published() {
  return openBundle(bytesOf(good), ours.keys);
}

async function jwkOf(pem: string) {
  const key = [...(await readPublisherKeys(pem)).values()][0];
  return exportJWK(key as CryptoKey);
}

function parsed(): Record<string, string> {
  return JSON.parse(good);
}

function payload(): Uint8Array {
  return new Uint8Array(Buffer.from(parsed().payload as string, "base64url"));
}

function rewritten(members: object): Uint8Array<ArrayBuffer> {
  return bytesOf(JSON.stringify({ ...parsed(), ...members }));
}

function withHeader(header: object): Uint8Array<ArrayBuffer> {
  return rewritten({ protected: Buffer.from(JSON.stringify(header)).toString("base64url") });
}

function bomb(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(Buffer.alloc(100_000_000), { level: 1 }));
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function bytesOf(value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(value);
}
