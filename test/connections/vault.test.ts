import { describe, expect, it } from "vitest";
import { createVault } from "../../lib/connections/vault.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ConnectionKey, SealedTokens } from "../../lib/stores/connections.ts";

const OLD = base64url(new Uint8Array(32).fill(1));
const NEW = base64url(new Uint8Array(32).fill(2));
const TOKENS = {
  accessToken: "at-alice-1",
  refreshToken: "rt-alice-1",
  clientID: "countersign",
  issuer: "https://p.example",
};
const ALICE: ConnectionKey = { organizationId: "org_1", person: "user_alice", app: "tickets", agent: "" };

const vaultOf = (keys: readonly string[], region = "us") => createVault(keys, region, webCryptoRandom);

describe("the vault of connections", () => {
  it("opens what it sealed, and shows nothing of it", async () => {
    const vault = vaultOf([OLD]);
    const sealed = await vault.seal(TOKENS, ALICE);
    expect(await vault.open(sealed, ALICE)).toEqual(TOKENS);
    for (const secret of [TOKENS.accessToken, TOKENS.refreshToken, OLD])
      expect(JSON.stringify(sealed)).not.toContain(secret);
  });

  it("seals each record with a key of its own: the same tokens never look the same", async () => {
    const vault = vaultOf([OLD]);
    const [one, other] = [await vault.seal(TOKENS, ALICE), await vault.seal(TOKENS, ALICE)];
    expect(one.tokens).not.toBe(other.tokens);
    expect(await vault.open({ ...one, tokens: other.tokens }, ALICE)).toBeUndefined();
    expect(await vault.open({ ...one, wrappedKey: other.wrappedKey }, ALICE)).toBeUndefined();
  });

  it.each<[string, ConnectionKey, string]>([
    ["another person", { ...ALICE, person: "user_bob" }, "us"],
    ["another organization", { ...ALICE, organizationId: "org_2" }, "us"],
    ["another app", { ...ALICE, app: "mail" }, "us"],
    ["one agent", { ...ALICE, agent: "agent_1" }, "us"],
    ["another region", ALICE, "uk"],
    ["parts that read the same when they are joined", { ...ALICE, person: "user_alic", app: "etickets" }, "us"],
  ])("67. does not open a record that was moved to the row of %s", async (_, row, region) => {
    const sealed = await vaultOf([OLD]).seal(TOKENS, ALICE);
    expect(await vaultOf([OLD], region).open(sealed, row)).toBeUndefined();
    expect(await vaultOf([NEW, OLD], region).rewrap(sealed, row)).toBeUndefined();
  });

  it.each<[string, (sealed: SealedTokens) => SealedTokens]>([
    ["altered tokens", (sealed) => ({ ...sealed, tokens: altered(sealed.tokens) })],
    ["an altered key", (sealed) => ({ ...sealed, wrappedKey: altered(sealed.wrappedKey) })],
    ["no tokens", (sealed) => ({ ...sealed, tokens: "" })],
    ["text that is no base64url", (sealed) => ({ ...sealed, tokens: "%%%" })],
    ["the key in the place of the tokens", (sealed) => ({ ...sealed, tokens: sealed.wrappedKey })],
    ["the name of another key", (sealed) => ({ ...sealed, keyId: vaultOf([NEW]).keyId })],
    ["the name of a key that is gone", (sealed) => ({ ...sealed, keyId: "gone" })],
  ])("opens nothing with %s", async (_, change) => {
    const vault = vaultOf([OLD, NEW]);
    expect(await vault.open(change(await vault.seal(TOKENS, ALICE)), ALICE)).toBeUndefined();
  });

  it("rotates: the first key seals, all open, and a record wrapped anew needs the former key no more", async () => {
    const sealed = await vaultOf([OLD]).seal(TOKENS, ALICE);
    const both = vaultOf([NEW, OLD]);
    expect(await both.open(sealed, ALICE)).toEqual(TOKENS);
    expect(await vaultOf([NEW]).open(sealed, ALICE)).toBeUndefined();
    const rewrapped = await both.rewrap(sealed, ALICE);
    expect(rewrapped).toMatchObject({ keyId: both.keyId, tokens: sealed.tokens });
    expect(rewrapped && (await vaultOf([NEW]).open(rewrapped, ALICE))).toEqual(TOKENS);
    expect((await both.seal(TOKENS, ALICE)).keyId).toBe(both.keyId);
  });

  it("names a key by what tells nothing of it, the same in every process", () => {
    expect(vaultOf([OLD]).keyId).toBe(vaultOf([OLD, NEW]).keyId);
    expect(vaultOf([OLD]).keyId).not.toBe(vaultOf([NEW]).keyId);
    expect(vaultOf([OLD]).keyId).toMatch(/^[\w-]{16}$/);
  });

  it.each([[[]], [["c2hvcnQ"]], [["not base64url!"]]])("refuses the keys %j without showing them", (keys) => {
    expect(() => vaultOf(keys)).toThrow(/vault/);
    expect(() => vaultOf(keys)).not.toThrow(/c2hvcnQ|not base64url!/);
  });
});

/** Another last character but one: the last may hold bits that count for nothing. */
function altered(text: string): string {
  const at = text.length - 2;
  return `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`;
}
