import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createVault, type Vault } from "../../lib/connections/vault.ts";
import { rewrapConnections, vaultKeyUses } from "../../lib/connections/vault-rotation.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { connection, connectionEvent, keyOf } from "../contract/connection-records.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";

const [OLD, NEW, LOST] = [1, 2, 3].map((byte) => base64url(new Uint8Array(32).fill(byte)));
const TOKENS = { accessToken: "access", refreshToken: "refresh", clientID: "countersign" };
/** More than a page of them. */
const MANY = 205;
const PAGE = { limit: 200 };

const vaultOf = (...keys: readonly (string | undefined)[]): Vault =>
  createVault(
    keys.map((key) => key as string),
    "us",
    webCryptoRandom,
  );

let product: InProcess;
let records: readonly ConnectionRecord[];
beforeAll(async () => {
  product = await startInProcess();
  records = await Promise.all(Array.from({ length: MANY }, () => sealedBy(vaultOf(OLD))));
});
afterAll(async () => {
  await product.close();
  rmSync(product.folder, { recursive: true, force: true });
});

test("67. what is broken off goes on where it was, and the former key may go once nothing is under it", async () => {
  const vault = vaultOf(NEW, OLD);
  const { stores } = product.dependencies;
  expect(await vaultKeyUses({ stores }, vault)).toEqual([
    { keyId: vault.keyId, records: 0, seals: true },
    { keyId: vaultOf(OLD).keyId, records: MANY, seals: false },
  ]);

  await expect(rewrapConnections({ stores: endingAfter(3) }, vault, PAGE)).rejects.toThrow("the process ended");
  expect(await vaultKeyUses({ stores }, vault)).toContainEqual({ keyId: vault.keyId, records: 3, seals: true });

  const { nextCursor: cursor, ...first } = await rewrapConnections({ stores }, vault, PAGE);
  expect(first).toEqual({ rewrapped: PAGE.limit, notOpened: 0, changed: 0 });
  const further = { ...PAGE, cursor: cursor ?? expect.fail("it was the last page") };
  const rest = { rewrapped: MANY - PAGE.limit - 3, notOpened: 0, changed: 0 };
  expect(await rewrapConnections({ stores }, vault, further)).toEqual(rest);
  expect(await vaultKeyUses({ stores }, vault)).toEqual([{ keyId: vault.keyId, records: MANY, seals: true }]);
  for (const record of records) expect(await vaultOf(NEW).open(await sealedOf(record), record)).toEqual(TOKENS);
});

test("67. what no key opens is counted and left as it is", async () => {
  const lost = await sealedBy(vaultOf(LOST));
  const { stores } = product.dependencies;
  expect(await rewrapConnections({ stores }, vaultOf(NEW, OLD), PAGE)).toEqual({
    rewrapped: 0,
    notOpened: 1,
    changed: 0,
  });
  expect(await sealedOf(lost)).toEqual(lost.sealed);
});

test("a pair that comes meanwhile stays", async () => {
  const vault = vaultOf(NEW, LOST);
  const { connections } = product.dependencies.stores;
  const former = await sealedBy(vaultOf(LOST));
  const renewed = { ...former, sealed: await vault.seal(TOKENS, former) };
  const rewrap: typeof vault.rewrap = async (sealed, of) => {
    if (keyOf(former).person === of.person) await connections.connect(renewed, connectionEvent(renewed));
    return vault.rewrap(sealed, of);
  };
  const found = await rewrapConnections(product.dependencies, { ...vault, rewrap }, PAGE);
  expect(found).toMatchObject({ changed: 1 });
  expect(await sealedOf(former)).toEqual(renewed.sealed);
});

async function sealedBy(vault: Vault): Promise<ConnectionRecord> {
  const made = connection();
  const record = { ...made, sealed: await vault.seal(TOKENS, made) };
  await product.dependencies.stores.connections.connect(record, connectionEvent(record));
  return record;
}

async function sealedOf(record: ConnectionRecord): Promise<ConnectionRecord["sealed"]> {
  const found = await product.dependencies.stores.connections.connection(keyOf(record));
  return found?.sealed ?? expect.fail("it is gone");
}

/** The stores of a process that ends after so many records. */
function endingAfter(count: number) {
  const { connections } = product.dependencies.stores;
  let left = count;
  const rewrap: typeof connections.rewrap = async (...given) => {
    left -= 1;
    if (left < 0) throw new Error("the process ended");
    return connections.rewrap(...given);
  };
  return { connections: { ...connections, rewrap } };
}
