import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { addGeneratedKey, createClientWithKey } from "../../infra/node/commands/generated-key.ts";
import { type KeyFile, withKeyFile } from "../../infra/node/commands/key-file.ts";
import { UsageError } from "../../infra/node/usage-error.ts";
import { createApiClient, listApiClients, showApiClient } from "../../lib/api-clients/administration.ts";
import type { Administrator } from "../../lib/api-clients/client-event.ts";
import type { Dependencies } from "../../lib/application/dependencies.ts";
import { ensureOrganization } from "../../lib/directory/organizations.ts";
import type { ApiClients } from "../../lib/stores/api-clients.ts";
import { openTestInstance, type TestInstance } from "../directory/instance.ts";

let instance: TestInstance;
let actor: Administrator;
let folder: string;
let keyOut: string;
beforeEach(async () => {
  instance = openTestInstance();
  const { organizationId } = await ensureOrganization(instance.dependencies, "operator:test");
  actor = { id: "operator:test", organizationId };
  folder = mkdtempSync(join(tmpdir(), "countersign-key-"));
  keyOut = join(folder, "key.pem");
});
afterEach(() => {
  instance.close();
  rmSync(folder, { recursive: true });
});

test("a client and its key come together", async () => {
  const { client, keyPair } = await withKeyFile(keyOut, (file) => create(instance.dependencies, file));
  const shown = await showApiClient(instance.dependencies, actor.organizationId, client.clientId);
  expect([keyPair]).toMatchObject(shown.keyPairs);
  expect(readFileSync(keyOut, "utf8")).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
});

test("when the key cannot be written, no client and no file is left", async () => {
  const creating = withKeyFile(keyOut, () => create(instance.dependencies, fullDisk));
  await expect(creating).rejects.toThrow("the disk is full");
  expect(await clientIds()).toEqual([]);
  expect(existsSync(keyOut)).toBe(false);
});

test("when the key pair cannot be added, no client and no file is left", async () => {
  const broken = withApiClients({ addKeyPair: () => Promise.reject(new Error("the store failed")) });
  await expect(withKeyFile(keyOut, (file) => create(broken, file))).rejects.toThrow("the store failed");
  expect(await clientIds()).toEqual([]);
  expect(existsSync(keyOut)).toBe(false);
});

test("a client that could not be deleted again is named, and so is the first cause", async () => {
  const broken = withApiClients({ delete: () => Promise.reject(new Error("the store failed")) });
  const message = await create(broken, fullDisk).catch((error: unknown) => (error as Error).message);
  const [clientId] = await clientIds();
  expect(message).toBe(`the disk is full. Besides, ${clientId} was left behind and could not be removed: remove it.`);
});

test("a key pair whose key cannot be written is revoked again", async () => {
  const { clientId } = await createApiClient(instance.dependencies, actor, { name: "CI" });
  await expect(addGeneratedKey(instance.dependencies, actor, clientId, fullDisk)).rejects.toThrow("the disk is full");
  const { keyPairs } = await showApiClient(instance.dependencies, actor.organizationId, clientId);
  expect(keyPairs.map(({ status }) => status)).toEqual(["revoked"]);
});

const fullDisk: Pick<KeyFile, "write"> = {
  write: () => {
    throw new UsageError("the disk is full.");
  },
};

function create(dependencies: Dependencies, file: Pick<KeyFile, "write">) {
  return createClientWithKey(dependencies, actor, { name: "CI" }, file);
}

function withApiClients(change: Partial<ApiClients>): Dependencies {
  const { stores } = instance.dependencies;
  return { ...instance.dependencies, stores: { ...stores, apiClients: { ...stores.apiClients, ...change } } };
}

async function clientIds(): Promise<readonly string[]> {
  const { items } = await listApiClients(instance.dependencies, actor.organizationId, { limit: 10 });
  return items.map(({ clientId }) => clientId);
}
