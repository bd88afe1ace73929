import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createApiClient,
  deleteApiClient,
  showApiClient,
  updateApiClient,
} from "../../lib/api-clients/administration.ts";
import type { Administrator } from "../../lib/api-clients/client-event.ts";
import { addKeyPair, generateKeyPair, revokeKeyPair } from "../../lib/api-clients/key-pairs.ts";
import { ensureOrganization } from "../../lib/directory/organizations.ts";
import { ProblemError } from "../../lib/kernel/problem.ts";
import { openTestInstance, type TestInstance } from "../directory/instance.ts";

const UNKNOWN_CLIENT = "client_00000000-0000-8000-8000-000000000000";
const UNKNOWN_KEY = "key_00000000-0000-4000-8000-000000000000";
let instance: TestInstance;
let actor: Administrator;
beforeEach(async () => {
  instance = openTestInstance();
  const { organizationId } = await ensureOrganization(instance.dependencies, "operator:test");
  actor = { id: "operator:test", organizationId, requestId: "request-1" };
});
afterEach(() => instance.close());

test("a client's id carries the region's check and the client starts without key pairs", async () => {
  const client = await createApiClient(instance.dependencies, actor, { name: "CI" });
  expect(instance.dependencies.clientIds.isOurs(client.clientId)).toBe(true);
  expect(client).toMatchObject({ name: "CI", scopes: [], resources: [], revision: 1, keyPairs: [] });
  expect(await showApiClient(instance.dependencies, actor.organizationId, client.clientId)).toEqual(client);
});

test("every change leaves one audit record that names actor, request and object", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  await updateApiClient(instance.dependencies, actor, { clientId }, { name: "CD", description: "deploys" });
  const { keyPair } = await addKeyPair(instance.dependencies, actor, { clientId });
  const { keyPairId, fingerprint } = keyPair;
  await revokeKeyPair(instance.dependencies, actor, { clientId }, keyPairId);
  await revokeKeyPair(instance.dependencies, actor, { clientId }, keyPairId);
  await deleteApiClient(instance.dependencies, actor, { clientId }, { revokeTokens: true });
  const { items } = await instance.dependencies.stores.auditLog.query(
    { organizationId: actor.organizationId },
    { limit: 20 },
  );
  const common = { actor: "operator:test", requestId: "request-1", outcome: "success" };
  expect(new Map(items.map((item) => [item.type, item]))).toMatchObject(
    new Map<string, object>([
      ["organization.created", { actor: "operator:test", outcome: "success" }],
      ["api_client.created", { ...common, details: { clientId } }],
      ["api_client.updated", { ...common, details: { clientId, fields: "name description" } }],
      ["key_pair.added", { ...common, details: { clientId, keyPairId, fingerprint, origin: "generated" } }],
      ["key_pair.revoked", { ...common, details: { clientId, keyPairId } }],
      ["api_client.deleted", { ...common, details: { clientId, revokeTokens: "true" } }],
    ]),
  );
  expect(items).toHaveLength(6);
});

test("34. the private key is in no log line, no record and no later read", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  const { privateKeyPem } = await addKeyPair(instance.dependencies, actor, { clientId });
  const secret = (privateKeyPem as string).split("\n")[2] as string;
  const { apiClients, auditLog } = instance.dependencies.stores;
  const everything = JSON.stringify([
    await apiClients.get(actor.organizationId, clientId),
    await apiClients.getForVerification(clientId, { authoritative: true }),
    await auditLog.query({ organizationId: actor.organizationId }, { limit: 100 }),
    instance.lines,
  ]);
  expect(secret).toHaveLength(64);
  expect(everything).not.toContain(secret);
});

test("a registered key has no private key, and cannot be registered twice, not even after its revocation", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  const { publicKey } = await generateKeyPair();
  const added = await addKeyPair(instance.dependencies, actor, { clientId }, publicKey);
  expect(added).toEqual({ keyPair: expect.objectContaining({ publicKey, status: "active", clientRevision: 2 }) });
  const again = () => addKeyPair(instance.dependencies, actor, { clientId }, publicKey).catch(codeOf);
  expect(await again()).toBe("conflict");
  await revokeKeyPair(instance.dependencies, actor, { clientId }, added.keyPair.keyPairId);
  expect(await again()).toBe("conflict");
});

test("a third key pair is added while two are active", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  for (let i = 0; i < 3; i++) await addKeyPair(instance.dependencies, actor, { clientId });
  const { keyPairs } = await showApiClient(instance.dependencies, actor.organizationId, clientId);
  expect(keyPairs.map(({ status }) => status)).toEqual(["active", "active", "active"]);
});

test("7. a client has at most ten active key pairs, however many are added at once", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  const add = () => addKeyPair(instance.dependencies, actor, { clientId }).then(() => "added", messageOf);
  const results = await Promise.all(Array.from({ length: 20 }, add));
  const refusal = "An API client has at most 10 active key pairs. Revoke one first.";
  expect(results.toSorted()).toEqual([...Array(10).fill(refusal), ...Array(10).fill("added")]);
  const { keyPairs } = await showApiClient(instance.dependencies, actor.organizationId, clientId);
  expect(keyPairs).toHaveLength(10);
  await revokeKeyPair(instance.dependencies, actor, { clientId }, keyPairs[0]?.keyPairId as string);
  expect([await add(), await add()]).toEqual(["added", refusal]);
});

test("a client has at most a hundred key pairs in its life", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  for (let i = 0; i < 100; i++) {
    const { keyPairId } = (await addKeyPair(instance.dependencies, actor, { clientId })).keyPair;
    await revokeKeyPair(instance.dependencies, actor, { clientId }, keyPairId);
  }
  expect(await addKeyPair(instance.dependencies, actor, { clientId }).catch(messageOf)).toBe(
    "An API client has at most 100 key pairs in its life, revoked ones included. Create a new API client.",
  );
});

test("a key pair that expects another revision is not added", async () => {
  const { clientId, revision } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  await addKeyPair(instance.dependencies, actor, { clientId, expectedRevision: revision });
  const target = { clientId, expectedRevision: revision };
  expect(await addKeyPair(instance.dependencies, actor, target).catch(codeOf)).toBe("stale");
});

test("an edit that expects another revision changes nothing", async () => {
  const { clientId, revision } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  const target = { clientId, expectedRevision: revision };
  const changed = await updateApiClient(instance.dependencies, actor, target, { name: "CD" });
  expect(changed.revision).toBeGreaterThan(revision);
  expect(await updateApiClient(instance.dependencies, actor, target, { name: "CE" }).catch(codeOf)).toBe("stale");
  expect(await showApiClient(instance.dependencies, actor.organizationId, clientId)).toMatchObject({ name: "CD" });
});

test("32. what belongs to another organization, or to nobody, is not found by any operation", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  const { keyPair } = await addKeyPair(instance.dependencies, actor, { clientId });
  const stranger = { id: "user_x", organizationId: "org_00000000-0000-4000-8000-000000000000" };
  const { dependencies } = instance;
  const { organizationId } = stranger;
  const odd = ["", "client_", "../x", "x".repeat(5000), UNKNOWN_CLIENT];
  const attempts = [
    showApiClient(dependencies, organizationId, clientId),
    updateApiClient(dependencies, stranger, { clientId }, { name: "mine" }),
    deleteApiClient(dependencies, stranger, { clientId }, { revokeTokens: true }),
    addKeyPair(dependencies, stranger, { clientId }),
    revokeKeyPair(dependencies, stranger, { clientId }, keyPair.keyPairId),
    revokeKeyPair(dependencies, actor, { clientId }, UNKNOWN_KEY),
    ...odd.map((id) => showApiClient(dependencies, actor.organizationId, id)),
    ...odd.map((id) => updateApiClient(dependencies, actor, { clientId: id }, { name: "x" })),
    ...odd.map((id) => revokeKeyPair(dependencies, actor, { clientId }, id)),
  ];
  const codes = await Promise.all(attempts.map((attempt) => attempt.catch(codeOf)));
  expect(new Set(codes)).toEqual(new Set(["not_found"]));
  expect(await showApiClient(dependencies, actor.organizationId, clientId)).toMatchObject({
    name: "CI",
    keyPairs: [{ status: "active" }],
  });
});

function codeOf(error: unknown): string {
  if (error instanceof ProblemError) return error.code;
  throw error;
}

function messageOf(error: unknown): string {
  if (error instanceof ProblemError && error.code === "conflict") return error.message;
  throw error;
}
