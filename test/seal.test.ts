import { createHash, createHmac, hkdfSync } from "node:crypto";
import { expect, test } from "vitest";
import { openOwnKey } from "../lib/authorization-server/keys/own-key.ts";
import { utf8 } from "../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../lib/kernel/random.ts";
import { mac, seal, unseal } from "../lib/kernel/seal.ts";
import { openState } from "../lib/upstream/request-state/sealed-state.ts";

const content = utf8("a private key");
const terms = { secret: webCryptoRandom.bytes(32), purpose: "a test", bound: "kid" };

test("what is sealed opens on the same terms alone", async () => {
  const sealed = await seal(content, terms, webCryptoRandom);
  expect(await unseal(sealed, terms)).toEqual(content);
  expect(await unseal(sealed, { ...terms, bound: "another" })).toBeUndefined();
  expect(await unseal(sealed, { ...terms, purpose: "another" })).toBeUndefined();
  expect(await unseal(sealed, { ...terms, secret: webCryptoRandom.bytes(32) })).toBeUndefined();
});

test("what is sealed is another text each time, and damage is noticed wherever it is", async () => {
  const sealed = await seal(content, terms, webCryptoRandom);
  expect(await seal(content, terms, webCryptoRandom)).not.toBe(sealed);
  for (let at = 0; at < sealed.length; at++) {
    const damaged = sealed.slice(0, at) + (sealed[at] === "A" ? "B" : "A") + sealed.slice(at + 1);
    expect(await unseal(damaged, terms)).toBeUndefined();
  }
  for (const text of ["", "x", "not base64url!", sealed.slice(0, 16)]) {
    expect(await unseal(text, terms)).toBeUndefined();
  }
});

test("what is sealed holds nothing of the content in the clear", async () => {
  const sealed = Buffer.from(await seal(content, terms, webCryptoRandom), "base64url");
  expect(sealed.includes(Buffer.from(content))).toBe(false);
  expect(sealed.includes(createHash("sha256").update(content).digest())).toBe(false);
});

/** Sealed before keys, states and refresh tokens were sealed by the same function. */
const FORMER = {
  secret: Uint8Array.from({ length: 32 }, (_, index) => index),
  key: "__79_Pv6-fj39vX0xV4DeTnop7Y-VRp0nlY8dsxF1IDZScSaMxjbIKI",
  state:
    "__79_Pv6-fj39vX0lKxJs2MuZN-nMuQpz3ns6k1hcGtJegidrNXiFZsgGyoYdo20ybb0ElWvt9gIgndV_kExlVaCyppNwb_WmjdWFZjABLrALCY",
  successor: "__79_Pv6-fj39vX006kEK_MHdR9RmQMUlkgOOdmIULydCDZpyzxn-R4",
};

test("what a former release sealed opens: a signing key, a request state, the successor of a refresh token", async () => {
  const { secret } = FORMER;
  const publicKey = { kty: "EC", crv: "P-256", x: "x", y: "y" } as const;
  const record = { keyId: "key-1", algorithm: "ES256", publicKey, publishedAt: 0, signsFrom: 0 } as const;
  const key = await openOwnKey({ ...record, sealedPrivateKey: FORMER.key }, () => secret);
  expect(key).toMatchObject({ jwk: { d: "a private key" } });
  const configuration = () => {
    throw new Error("the secret is not looked for there");
  };
  const ports = { clock: { now: () => 1_000 }, random: webCryptoRandom, stateSecret: secret, configuration };
  expect(await openState(FORMER.state, "bound", ports)).toEqual({ kind: "upstream", state: "theirs" });
  const successor = { purpose: "countersign successor of a refresh token", bound: "" };
  expect(await unseal(FORMER.successor, { ...successor, secret: utf8("the former token") })).toEqual(
    utf8("the successor"),
  );
});

test("a MAC is HMAC-SHA-256 under a key of its own for each purpose (RFC 2104, RFC 5869)", async () => {
  const { secret } = FORMER;
  const key = Buffer.from(hkdfSync("sha256", secret, new Uint8Array(), "one", 32));
  expect(await mac(secret, "one", "text")).toBe(createHmac("sha256", key).update("text").digest("base64url"));
  expect(await mac(secret, "other", "text")).not.toBe(await mac(secret, "one", "text"));
});
