import { createLocalJWKSet, exportJWK, generateKeyPair, type JWK, jwtVerify } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openOwnKey } from "../../lib/authorization-server/keys/own-key.ts";
import { webSigningCrypto } from "../../lib/authorization-server/keys/signing-crypto.ts";
import type { ConfiguredSigningKey } from "../../lib/config/configuration.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { SigningKeys } from "../../lib/stores/signing-keys.ts";
import { DAY, MINUTE, openRings, type Rings, SECRET } from "./rings.ts";

let rings: Rings;
beforeEach(() => {
  rings = openRings();
});
afterEach(() => rings.close());

const CLAIMS = { sub: "somebody", exp: 4_000_000_000 };

/** Counts what an instance reads. */
function counting(reads: { count: number }) {
  return (signingKeys: SigningKeys): SigningKeys => ({
    ...signingKeys,
    read: () => {
      reads.count += 1;
      return signingKeys.read();
    },
  });
}

describe("the first key", () => {
  test("is made by signing", async () => {
    const ring = rings.ring();
    const text = await ring.sign(CLAIMS, "at+jwt");
    expect(await ring.verify(text, "at+jwt")).toEqual(CLAIMS);
    const { keys, revision } = await rings.stores.signingKeys.read();
    expect({ keys: keys.length, revision }).toEqual({ keys: 1, revision: 1 });
  });

  test("is made by maintenance, which is due at once and then waits", async () => {
    const { component } = rings.ring();
    expect([component.status(), component.isDue()]).toEqual(["unknown", true]);
    await component.attempt();
    expect([component.status(), component.isDue()]).toEqual(["up", false]);
    expect((await rings.stores.signingKeys.read()).keys).toHaveLength(1);
  });

  test("is never made by whoever reads the key set or presents a token", async () => {
    const ring = rings.ring();
    expect(await ring.publicKeys()).toEqual([]);
    const elsewhere = openRings();
    const foreign = await elsewhere.ring().sign(CLAIMS, "at+jwt");
    elsewhere.close();
    expect(await ring.verify(foreign, "at+jwt")).toBeUndefined();
    expect(await rings.stores.signingKeys.read()).toEqual({ revision: 0, keys: [] });
  });

  test("is one, however many instances make it at once", async () => {
    const instances = Array.from({ length: 8 }, () => rings.ring());
    const texts = await Promise.all(instances.map((ring) => ring.sign(CLAIMS, "JWT")));
    expect((await rings.stores.signingKeys.read()).keys).toHaveLength(1);
    for (const ring of instances) {
      for (const text of texts) expect(await ring.verify(text, "JWT")).toEqual(CLAIMS);
      expect(await ring.publicKeys()).toHaveLength(1);
    }
  });

  test("leaves one record in the audit log, which names it", async () => {
    await Promise.all([rings.ring().sign(CLAIMS, "JWT"), rings.ring().sign(CLAIMS, "JWT")]);
    const [key] = (await rings.stores.signingKeys.read()).keys;
    const page = await rings.stores.auditLog.query(
      { organizationId: undefined, type: "signing_keys.changed" },
      { limit: 10 },
    );
    expect(page.items.map(({ details }) => details)).toEqual([{ published: key?.keyId }]);
  });
});

describe("private keys at rest", () => {
  test("are encrypted: what is stored beside the public key tells nothing but its length", async () => {
    await rings.ring().sign(CLAIMS, "JWT");
    const [record] = (await rings.stores.signingKeys.read()).keys;
    expect(Object.keys(record?.publicKey ?? {}).sort()).toEqual(["crv", "kty", "x", "y"]);
    expect(record?.sealedPrivateKey).toMatch(/^[\w-]{95}$/);
  });

  test("cannot be exchanged for each other", async () => {
    await rings.ring().sign(CLAIMS, "JWT");
    const { keys, revision } = await rings.stores.signingKeys.read();
    const other = openRings();
    await other.ring().sign(CLAIMS, "JWT");
    const [foreign] = (await other.stores.signingKeys.read()).keys;
    other.close();
    const swapped = keys.map((key) => ({ ...key, sealedPrivateKey: foreign?.sealedPrivateKey ?? "" }));
    const event = { id: "01", time: 0, type: "signing_keys.changed", outcome: "success" } as const;
    await rings.stores.signingKeys.replace(revision, swapped, event);
    await expect(rings.ring().sign(CLAIMS, "JWT")).rejects.toMatchObject({ code: "temporarily_unavailable" });
  });

  test("of another secret: signing is put off, the component is down, the log says why, and verifying goes on", async () => {
    const text = await rings.ring().sign(CLAIMS, "at+jwt");
    const changed = rings.ring({ parts: { keySecret: () => webCryptoRandom.bytes(32) } });
    await changed.component.attempt();
    expect(changed.component.status()).toBe("down");
    await expect(changed.sign(CLAIMS, "at+jwt")).rejects.toMatchObject({ status: 503 });
    expect(await changed.verify(text, "at+jwt")).toEqual(CLAIMS);
    expect(rings.logs.join("\n")).toMatch(
      /signing keys not available.*encrypted with another secret: put the former oidcProvider\.keySecret back/,
    );
    expect((await rings.stores.signingKeys.read()).keys).toHaveLength(1);
  });

  test("without any secret no key is made, and the log names what is missing", async () => {
    const ring = rings.ring({ parts: { keySecret: () => undefined } });
    await ring.component.attempt();
    expect(ring.component.status()).toBe("down");
    expect(rings.logs.join("\n")).toContain("oidcProvider.keySecret is missing");
    expect((await rings.stores.signingKeys.read()).keys).toEqual([]);
  });
});

describe("what is read", () => {
  test("signing and verifying ask the store once in ten seconds", async () => {
    const reads = { count: 0 };
    const ring = rings.ring({ adapt: counting(reads) });
    const text = await ring.sign(CLAIMS, "at+jwt");
    reads.count = 0;
    for (let n = 0; n < 50; n++) await ring.verify(await ring.sign({ n }, "at+jwt"), "at+jwt");
    expect(reads.count).toBe(0);
    rings.forward(10_000);
    await ring.verify(text, "at+jwt");
    await ring.sign(CLAIMS, "at+jwt");
    expect(reads.count).toBe(1);
  });

  test("a token under a key that another instance has just made is accepted at once", async () => {
    const reader = rings.ring();
    expect(await reader.publicKeys()).toEqual([]);
    const text = await rings.ring().sign(CLAIMS, "at+jwt");
    expect(await reader.verify(text, "at+jwt")).toEqual(CLAIMS);
  });

  test("invented keys make it read a bounded number of times, and a real one is found after a second", async () => {
    const reads = { count: 0 };
    const reader = rings.ring({ adapt: counting(reads) });
    await reader.publicKeys();
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(privateKey);
    const forge = async () => {
      const kid = Buffer.from(webCryptoRandom.bytes(32)).toString("base64url");
      const header = Buffer.from(JSON.stringify({ alg: "ES256", typ: "at+jwt", kid })).toString("base64url");
      const input = Buffer.from(`${header}.e30`);
      const signature = await webSigningCrypto().sign({ algorithm: "ES256", jwk }, new Uint8Array(input));
      return `${input}.${Buffer.from(signature).toString("base64url")}`;
    };
    for (let n = 0; n < 100; n++) expect(await reader.verify(await forge(), "at+jwt")).toBeUndefined();
    expect(reads.count).toBeLessThan(15);
    const text = await rings.ring().sign(CLAIMS, "at+jwt");
    rings.forward(1_000);
    expect(await reader.verify(text, "at+jwt")).toEqual(CLAIMS);
  });

  test("a key that was removed verifies nothing any more, also what it verified before", async () => {
    const ring = rings.ring();
    const text = await ring.sign({ ...CLAIMS }, "at+jwt");
    const forward = async (milliseconds: number) => {
      rings.forward(milliseconds);
      await ring.component.attempt();
    };
    await forward(90 * DAY);
    await forward(20 * MINUTE);
    expect(await ring.publicKeys()).toHaveLength(2);
    expect(await ring.verify(text, "at+jwt")).toEqual(CLAIMS);
    await forward(2 * DAY);
    expect(await ring.publicKeys()).toHaveLength(1);
    expect(await ring.verify(text, "at+jwt")).toBeUndefined();
  });
});

describe("what is no JWS of ours", () => {
  test.each([
    ["an ID token in place of an access token", { typ: "JWT" }],
    ["a type that is spelt otherwise", { typ: "AT+JWT" }],
    ["no type", { typ: undefined }],
    ["a critical extension", { crit: ["exp"] }],
    ["no key", { kid: undefined }],
    ["another algorithm", { alg: "RS256" }],
    ["none", { alg: "none" }],
  ])("%s is refused under a good signature", async (_, header) => {
    const ring = rings.ring();
    const text = await ring.sign(CLAIMS, "at+jwt");
    const [real = "", payload] = text.split(".");
    const changed = { ...JSON.parse(Buffer.from(real, "base64url").toString("utf8")), ...header };
    const { keyId, key } = await opened();
    expect(changed.kid ?? keyId).toBe(keyId);
    const input = `${Buffer.from(JSON.stringify(changed)).toString("base64url")}.${payload}`;
    const signature = await webSigningCrypto().sign(key, new TextEncoder().encode(input));
    expect(await ring.verify(`${input}.${Buffer.from(signature).toString("base64url")}`, "at+jwt")).toBeUndefined();
  });

  test("a changed claim or signature is refused, also of what was verified before", async () => {
    const ring = rings.ring();
    const text = await ring.sign(CLAIMS, "at+jwt");
    expect(await ring.verify(text, "at+jwt")).toEqual(CLAIMS);
    const [header, , signature = ""] = text.split(".");
    const payload = Buffer.from(JSON.stringify({ ...CLAIMS, sub: "another" })).toString("base64url");
    const flipped = (signature[5] === "A" ? "B" : "A") + signature.slice(6);
    for (const forged of [
      `${header}.${payload}.${signature}`,
      text.slice(0, -signature.length + 5) + flipped,
      "a.b.c",
    ]) {
      expect(await ring.verify(forged, "at+jwt")).toBeUndefined();
    }
    expect(await ring.verify(text, "JWT")).toBeUndefined();
  });

  async function opened() {
    const [record] = (await rings.stores.signingKeys.read()).keys;
    if (record === undefined) throw new Error("there is no key");
    return { keyId: record.keyId, key: await openOwnKey(record, () => SECRET) };
  }
});

describe("keys of the configuration", () => {
  async function configured(algorithm: "ES256" | "RS256", kid: string): Promise<ConfiguredSigningKey> {
    const pair = await generateKeyPair(algorithm, { extractable: true });
    const publicKey = { ...(await exportJWK(pair.publicKey)), kid, alg: algorithm, use: "sig" };
    return { algorithm, publicKey, privateKey: { ...(await exportJWK(pair.privateKey)) } };
  }

  test.each(["ES256", "RS256"] as const)(
    "%s: the first one signs, all are published, and no other is made",
    async (algorithm) => {
      const signingKeys = [await configured(algorithm, "first"), await configured("ES256", "second")];
      const publicKeys = signingKeys.map(({ publicKey }) => publicKey);
      const ring = rings.ring({ provider: { signingKeys, publicKeys } });
      await ring.component.attempt();
      const text = await ring.sign(CLAIMS, "at+jwt");
      const keys = (await ring.publicKeys()) as readonly JWK[];
      const { protectedHeader } = await jwtVerify(text, createLocalJWKSet({ keys: [...keys] }));
      expect(protectedHeader).toEqual({ alg: algorithm, typ: "at+jwt", kid: "first" });
      expect(await ring.verify(text, "at+jwt")).toEqual(CLAIMS);
      expect(ring.component.status()).toBe("up");
      expect(ring.algorithms()).toEqual([...new Set([algorithm, "ES256"])]);
      expect(keys.some((key) => key.d !== undefined)).toBe(false);
      expect((await rings.stores.signingKeys.read()).revision).toBe(0);
    },
  );

  test("the service's own key counts no more as soon as they are there, and does not come back", async () => {
    const text = await rings.ring().sign(CLAIMS, "at+jwt");
    const signingKeys = [await configured("ES256", "theirs")];
    const ring = rings.ring({ provider: { signingKeys, publicKeys: signingKeys.map(({ publicKey }) => publicKey) } });
    expect(await ring.verify(text, "at+jwt")).toBeUndefined();
    expect(await ring.publicKeys()).toHaveLength(1);
    await ring.component.attempt();
    expect((await rings.stores.signingKeys.read()).keys).toEqual([]);
    const otherSecret = webCryptoRandom.bytes(32);
    const after = rings.ring({ parts: { keySecret: () => otherSecret } });
    await after.component.attempt();
    expect(after.component.status()).toBe("up");
    expect(await after.verify(await after.sign(CLAIMS, "JWT"), "JWT")).toEqual(CLAIMS);
    expect(await after.verify(text, "at+jwt")).toBeUndefined();
  });

  test("a published key that is none of ours to sign with verifies what its owner signed", async () => {
    const theirs = await configured("RS256", "theirs");
    const text = await rings
      .ring({ provider: { signingKeys: [theirs], publicKeys: [theirs.publicKey] } })
      .sign(CLAIMS, "JWT");
    const ring = rings.ring({ provider: { publicKeys: [theirs.publicKey] } });
    expect(await ring.verify(text, "JWT")).toEqual(CLAIMS);
    expect(ring.algorithms()).toEqual(["ES256"]);
  });
});
