import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { addKey, answerOf, createClient, manage, type Owner } from "./fixture.ts";

const UNKNOWN_KEY = "key_00000000-0000-4000-8000-000000000000";

/** The life of a key pair. */
export function keyPairs(owner: () => Owner): void {
  const register = (clientId: string, publicKey: unknown) =>
    answerOf(manage(owner(), "POST", `/api-clients/${clientId}/key-pairs`, { publicKey }));
  const revoke = (clientId: string, keyPairId: string) =>
    answerOf(manage(owner(), "POST", `/api-clients/${clientId}/key-pairs/${keyPairId}/revoke`));
  const pair = () => generateKeyPairSync("ec", { namedCurve: "P-256" });

  test("34. a generated private key is in the answer that makes it and in no other", async () => {
    const clientId = await createClient(owner());
    const created = await answerOf(manage(owner(), "POST", `/api-clients/${clientId}/key-pairs`));
    const { privateKey, ...shown } = created.body as { privateKey: string; keyPairId: string };
    expect(created.status).toBe(201);
    expect(created.headers.get("Cache-Control")).toBe("no-store");
    expect(privateKey).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(shown).toEqual({
      keyPairId: expect.stringMatching(/^key_[0-9a-f-]{36}$/),
      fingerprint: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      status: "active",
      createdAt: expect.stringMatching(/Z$/),
    });
    const later = [
      `/api-clients/${clientId}/key-pairs`,
      `/api-clients/${clientId}`,
      "/api-clients?limit=200",
      "/audit-events",
    ];
    for (const path of later) {
      const text = await (await manage(owner(), "GET", path)).text();
      expect(text).not.toContain("PRIVATE");
      expect(text).not.toContain(privateKey.split("\n")[2]);
    }
    const { body } = await answerOf(manage(owner(), "GET", `/api-clients/${clientId}/key-pairs`));
    expect(body).toEqual({ items: [shown] });
  });

  test("a public key is registered from PEM and from a JWK, once per client", async () => {
    const clientId = await createClient(owner());
    const { publicKey } = pair();
    const pem = publicKey.export({ type: "spki", format: "pem" });
    const first = await register(clientId, pem);
    expect(first.status).toBe(201);
    expect(first.body).not.toHaveProperty("privateKey");
    const again = await register(clientId, publicKey.export({ format: "jwk" }));
    expect(again).toMatchObject({ status: 409, body: { type: "urn:countersign:problem:conflict" } });
    const other = await register(clientId, pair().publicKey.export({ format: "jwk" }));
    expect(other.status).toBe(201);
    expect((await register(await createClient(owner()), pem)).status).toBe(201);
  });

  test("revoking is final and repeatable, leaves the other pairs alone, and the key never comes back", async () => {
    const clientId = await createClient(owner());
    const { publicKey } = pair();
    const jwk = publicKey.export({ format: "jwk" });
    const { keyPairId } = (await register(clientId, jwk)).body as { keyPairId: string };
    const other = await addKey(owner(), clientId);
    for (let i = 0; i < 3; i++) {
      expect(await revoke(clientId, keyPairId)).toMatchObject({ status: 200, body: { status: "revoked" } });
    }
    expect((await register(clientId, jwk)).status).toBe(409);
    const { body } = await answerOf(manage(owner(), "GET", `/api-clients/${clientId}/key-pairs`));
    expect(body).toMatchObject({
      items: [
        { keyPairId, status: "revoked", revokedAt: expect.stringMatching(/Z$/) },
        { keyPairId: other.keyPairId, status: "active" },
      ],
    });
    const recorded = async () => {
      const answer = await answerOf(manage(owner(), "GET", "/audit-events?type=key_pair.revoked&limit=200"));
      const { items } = answer.body as { items: { details: { keyPairId: string } }[] };
      return items.filter(({ details }) => details.keyPairId === keyPairId).length;
    };
    await expect.poll(recorded).toBe(1);
  });

  test("an unknown key pair, and one of another client, is 404", async () => {
    const clientId = await createClient(owner());
    const { keyPairId } = await addKey(owner(), await createClient(owner()));
    for (const id of [UNKNOWN_KEY, keyPairId, "key_x", "%2e%2e"]) {
      expect((await revoke(clientId, id)).status).toBe(404);
    }
  });
}
