import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import {
  type Answer,
  addKey,
  answerOf,
  createClient,
  createSigner,
  issueToken,
  manage,
  type Owner,
  requestToken,
} from "./fixture.ts";

const UNKNOWN_KEY = "key_00000000-0000-4000-8000-000000000000";

/** The life of a key pair. */
export function keyPairs(owner: () => Owner): void {
  const register = (clientId: string, publicKey: unknown) =>
    answerOf(manage(owner(), "POST", `/api-clients/${clientId}/key-pairs`, { publicKey }));
  const revoke = (clientId: string, keyPairId: string) =>
    answerOf(manage(owner(), "POST", `/api-clients/${clientId}/key-pairs/${keyPairId}/revoke`));
  const send = (method: string, path: string, ifMatch: string) =>
    answerOf(
      fetch(`${owner().region.url}/api/v1${path}`, {
        method,
        headers: { Cookie: owner().cookie, "If-Match": ifMatch },
      }),
    );
  const eventsOf = async (type: string, keyPairId: string) => {
    const { body } = await answerOf(manage(owner(), "GET", `/audit-events?type=${type}&limit=200`));
    const { items } = body as { items: { details: { keyPairId: string } }[] };
    return items.filter(({ details }) => details.keyPairId === keyPairId);
  };
  const recorded = async (type: string, keyPairId: string) => (await eventsOf(type, keyPairId)).length;
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
    await expect.poll(() => recorded("key_pair.revoked", keyPairId)).toBe(1);
  });

  test("each answer about key pairs carries the client's entity tag, and If-Match refuses what others outran", async () => {
    const clientId = await createClient(owner());
    const path = `/api-clients/${clientId}/key-pairs`;
    const tagged = async (answer: Answer, status: number) => {
      const tag = answer.headers.get("ETag");
      const current = await answerOf(manage(owner(), "GET", `/api-clients/${clientId}`));
      expect([answer.status, tag]).toEqual([status, current.headers.get("ETag")]);
      return tag as string;
    };
    const before = await tagged(await answerOf(manage(owner(), "GET", path)), 200);
    const added = await send("POST", path, before);
    const afterAdding = await tagged(added, 201);
    expect(afterAdding).not.toBe(before);
    const { keyPairId } = added.body as { keyPairId: string };
    expect((await send("POST", path, before)).status).toBe(412);
    expect((await send("POST", `${path}/${keyPairId}/revoke`, before)).status).toBe(412);
    expect(await tagged(await answerOf(manage(owner(), "GET", path)), 200)).toBe(afterAdding);
    const afterRevoking = await tagged(await send("POST", `${path}/${keyPairId}/revoke`, afterAdding), 200);
    expect(afterRevoking).not.toBe(afterAdding);
    // Nothing is left to change, so whoever saw an older state is not refused.
    expect(await tagged(await send("POST", `${path}/${keyPairId}/revoke`, before), 200)).toBe(afterRevoking);
    await expect.poll(() => recorded("key_pair.revoked", keyPairId)).toBe(1);
  });

  test("every added key pair is recorded with its fingerprint and how it came to be", async () => {
    const clientId = await createClient(owner());
    const generated = await addKey(owner(), clientId);
    const { body } = await register(clientId, pair().publicKey.export({ format: "jwk" }));
    const registered = body as { keyPairId: string; fingerprint: string };
    for (const [{ keyPairId, fingerprint }, origin] of [
      [generated, "generated"],
      [registered, "registered"],
    ] as const) {
      const events = await eventually(
        () => eventsOf("key_pair.added", keyPairId),
        (found) => found.length > 0,
      );
      expect(events).toMatchObject([{ outcome: "success", details: { clientId, keyPairId, fingerprint, origin } }]);
    }
  });

  test("8. a token stays active after its key was revoked, and the client's other keys go on", async () => {
    const { clientId, key } = await createSigner(owner(), { scopes: ["audit:read"] });
    const other = await addKey(owner(), clientId);
    const token = await issueToken(owner().region, { clientId, key });
    const useToken = () =>
      fetch(`${owner().region.url}/api/v1/audit-events`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await useToken()).status).toBe(200);
    expect((await revoke(clientId, key.keyPairId)).status).toBe(200);
    expect((await useToken()).status).toBe(200);
    expect((await answerOf(requestToken(owner().region, { clientId, key }))).body).toEqual({
      error: "invalid_client",
      error_description: "invalid JWT signature",
    });
    expect((await requestToken(owner().region, { clientId, key: other })).status).toBe(200);
  });

  test("an unknown key pair, and one of another client, is 404", async () => {
    const clientId = await createClient(owner());
    const { keyPairId } = await addKey(owner(), await createClient(owner()));
    for (const id of [UNKNOWN_KEY, keyPairId, "key_x", "%2e%2e"]) {
      expect((await revoke(clientId, id)).status).toBe(404);
    }
  });
}
