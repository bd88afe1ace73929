import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NodeDependencies, openNodeDependencies } from "../../infra/node/dependencies.ts";
import { addPersistentFiles } from "../../infra/node/store-folder/restored-files.ts";
import { inProcessConfiguration, PROVIDER } from "../support/in-process.ts";

const CLAIMS = { sub: "somebody" };
const FILE = "signing-keys.key";
let folder: string;
let open: NodeDependencies[];
const lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-"));
  open = [];
  lines.length = 0;
});
afterEach(async () => {
  await close();
  rmSync(folder, { recursive: true });
});

async function close(): Promise<void> {
  for (const { close } of open.splice(0)) await close();
}

function keyRing(store: string, keySecret?: string) {
  const oidcProvider = { ...PROVIDER, ...(keySecret !== undefined && { keySecret }) };
  const configuration = { ...inProcessConfiguration, store: { path: join(folder, store) }, oidcProvider };
  const node = openNodeDependencies(configuration, { write: (line) => lines.push(line) });
  open.push(node);
  return node.dependencies.keyRing;
}

test("the secret of signing keys is made when the first key is, in a file for this user only, and kept", async () => {
  const ring = keyRing("store");
  expect(await ring.publicKeys()).toEqual([]);
  expect(existsSync(join(folder, "store", FILE))).toBe(false);
  const text = await ring.sign(CLAIMS, "JWT");
  expect(statSync(join(folder, "store", FILE)).mode & 0o777).toBe(0o600);
  const secret = readFileSync(join(folder, "store", FILE));
  expect(secret).toHaveLength(32);
  await close();
  const again = keyRing("store");
  expect(await again.verify(await again.sign(CLAIMS, "JWT"), "JWT")).toEqual(CLAIMS);
  expect(await again.verify(text, "JWT")).toEqual(CLAIMS);
  expect(await again.publicKeys()).toHaveLength(1);
  expect(readFileSync(join(folder, "store", FILE))).toEqual(secret);
});

test("a configured secret takes its place, and no file is made", async () => {
  const ring = keyRing("store", "A".repeat(43));
  await ring.sign(CLAIMS, "JWT");
  expect(existsSync(join(folder, "store", FILE))).toBe(false);
});

test.each(["cut off", "gone"])(
  "a file that is %s makes the keys a component that is down, and the log says why",
  async (how) => {
    await keyRing("store").sign(CLAIMS, "JWT");
    await close();
    if (how === "gone") rmSync(join(folder, "store", FILE));
    else writeFileSync(join(folder, "store", FILE), "short");
    const ring = keyRing("store");
    await ring.component.attempt();
    expect(ring.component.status()).toBe("down");
    await expect(ring.sign(CLAIMS, "JWT")).rejects.toMatchObject({ status: 503 });
    expect(lines.join("\n")).toMatch(/signing keys not available.*signing-keys\.key/);
  },
);

test("a backup holds the file, and what was restored signs with the same key", async () => {
  const text = await keyRing("store").sign(CLAIMS, "JWT");
  await close();
  const copy = join(folder, "backup.db");
  copyFileSync(join(folder, "store", "countersign.db"), copy);
  const connection = new DatabaseSync(copy);
  expect(addPersistentFiles(connection, join(folder, "store"))).toContain(FILE);
  connection.close();
  mkdirSync(join(folder, "restored"));
  copyFileSync(copy, join(folder, "restored", "countersign.db"));
  const ring = keyRing("restored");
  expect(readFileSync(join(folder, "restored", FILE))).toEqual(readFileSync(join(folder, "store", FILE)));
  expect(await ring.verify(text, "JWT")).toEqual(CLAIMS);
  await ring.sign(CLAIMS, "JWT");
  expect(await ring.publicKeys()).toHaveLength(1);
});
