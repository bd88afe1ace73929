import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { createVault, type Vault } from "../../lib/connections/vault.ts";
import { base64url } from "../../lib/kernel/encoding.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import type { ConnectionRecord } from "../../lib/stores/connections.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { connection, connectionEvent, keyOf } from "../contract/connection-records.ts";
import { createWorkplace, type Workplace } from "./countersign.ts";

const OLD = base64url(new Uint8Array(32).fill(1));
const NEW = base64url(new Uint8Array(32).fill(2));
const TOKENS = { accessToken: "access-of-alice", refreshToken: "refresh-of-alice", clientID: "countersign" };

let at: Workplace;
let mine: ConnectionRecord;
beforeAll(async () => {
  at = await createWorkplace();
  const made = await at.here("client", "create", "-name", "CI", "-keyOut", `${at.folder}/key.pem`);
  expect(made.code).toBe(0);
  mine = await withStore(async (stores) => {
    const organization = await stores.directory.firstOrganization();
    const record = connection({ organizationId: organization?.organizationId as string, agent: "agent_1" });
    const sealed = await vaultOf(OLD).seal(TOKENS, record);
    await stores.connections.connect({ ...record, sealed }, connectionEvent(record));
    await stores.connections.connect(connection({ organizationId: record.organizationId }), connectionEvent(record));
    return { ...record, sealed };
  });
}, 60_000);
afterAll(() => at?.remove());

test("vault needs keys, and says so", async () => {
  const run = await at.countersign("vault", "keys");
  expect(run).toMatchObject({ code: 2, stdout: "", stderr: "The configuration has no vault.keys.\n" });
});

test("67. connections are listed, without anything of their tokens", async () => {
  const all = await at.countersign("connections", "list");
  expect(JSON.parse(all.stdout).items).toHaveLength(2);
  const { code, stdout } = await at.here("connections", "list", "-person", mine.person);
  expect([code, JSON.parse(stdout).items]).toMatchObject([0, [{ connectionId: mine.connectionId, agent: "agent_1" }]]);
  for (const secret of Object.values(mine.sealed)) expect(all.stdout).not.toContain(secret);
});

test("67. data keys are wrapped anew with the first key, and the counts tell when the former one may go", async () => {
  appendFileSync(at.config, `\nvault: {keys: ["${NEW}", "${OLD}"]}\n`);
  const vault = vaultOf(NEW, OLD);
  const before = await at.here("vault", "keys");
  expect(JSON.parse(before.stdout).keys).toContainEqual({ keyId: vaultOf(OLD).keyId, records: 1, seals: false });
  const lines = (await at.here("vault", "keys", "-jsonl")).stdout.trimEnd().split("\n");
  expect({ keys: lines.map((line) => JSON.parse(line)) }).toEqual(JSON.parse(before.stdout));
  expect((await at.here("vault", "keys", "-json")).stdout).toBe(before.stdout);
  const both = await at.here("vault", "keys", "-json", "-jsonl");
  expect([both.code, both.stderr]).toEqual([2, "-json and -jsonl exclude each other.\n"]);
  const { code, stdout } = await at.countersign("vault", "rewrap");
  expect(code).toBe(0);
  const { keys, ...counts } = JSON.parse(stdout);
  // The other record's key is nobody's.
  expect(counts).toEqual({ rewrapped: 1, notOpened: 1, changed: 0 });
  expect(keys[0]).toEqual({ keyId: vault.keyId, records: 1, seals: true });
  expect(keys).toHaveLength(2);
  const found = await withStore((stores) => stores.connections.connection(keyOf(mine)));
  expect(await vaultOf(NEW).open(found?.sealed ?? expect.fail("it is gone"), mine)).toEqual(TOKENS);
  writeFileSync(at.config, readFileSync(at.config, "utf8").replace(`, "${OLD}"`, ""));
  expect(JSON.parse((await at.here("vault", "rewrap")).stdout)).toMatchObject({ rewrapped: 0, notOpened: 1 });
});

test("a connection is taken back by what the list says of it, once", async () => {
  const of = ["-person", mine.person, "-app", mine.app, "-agent", "agent_1"];
  const missing = await at.here("connections", "delete", ...of);
  expect(missing).toMatchObject({ code: 2, stderr: "-connection ID is required.\n" });
  const command = ["connections", "delete", "-connection", mine.connectionId, ...of];
  const done = await at.countersign(...command);
  expect([done.code, JSON.parse(done.stdout)]).toEqual([0, { deleted: mine.connectionId }]);
  const found = await withStore((stores) => stores.connections.connection(keyOf(mine)));
  expect(found).toMatchObject({ state: "deleted" });
  expect(await at.here(...command)).toMatchObject({ code: 4, stdout: "" });
});

function vaultOf(...keys: readonly string[]): Vault {
  return createVault(keys, "us", webCryptoRandom);
}

async function withStore<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const executor = openSqlite(at.store);
  try {
    return await work(sqlStores(executor, Date));
  } finally {
    executor.close();
  }
}
