import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { withBrowserSessionCache } from "../../infra/node/store-thread/browser-session-cache.ts";
import { openStoreThread } from "../../infra/node/store-thread/open.ts";
import { systemClock } from "../../lib/kernel/clock.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";

/** A connection as another process of the server, or a command, has it. */
function another(folder: string) {
  const connection = openSqlite(folder);
  onTestFinished(() => connection.close());
  return { connection, directory: sqlStores(connection, systemClock).directory };
}

function storeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "countersign-sessions-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const now = Date.now();
const SESSION = { sessionHash: "hash", userId: "user", createdAt: now, lastSeenAt: now, expiresAt: now + 60_000 };

test("a session is read once, as long as nothing is committed", async () => {
  const { connection, directory } = another(storeFolder());
  const reads: string[] = [];
  const getBrowserSession = (sessionHash: string) => {
    reads.push(sessionHash);
    return directory.getBrowserSession(sessionHash);
  };
  await directory.createBrowserSession(SESSION);
  const cached = withBrowserSessionCache({ ...directory, getBrowserSession }, connection);
  for (let uses = 0; uses < 3; uses++) expect(await cached.getBrowserSession("hash")).toEqual(SESSION);
  expect(await cached.getBrowserSession("unknown")).toBeUndefined();
  expect(reads).toEqual(["hash", "unknown"]);
});

test("33. a session that is changed or ended, here or by another process, is so for the next request", async () => {
  const folder = storeFolder();
  const store = openStoreThread(folder, systemClock);
  onTestFinished(() => store.close());
  const own = store.stores.directory;
  const other = another(folder).directory;
  for (const writer of [own, other]) {
    await writer.createBrowserSession(SESSION);
    expect(await own.getBrowserSession("hash")).toEqual(SESSION);
    expect(await own.getBrowserSession("hash")).toEqual(SESSION);
    await writer.touchBrowserSession("hash", now + 1);
    expect(await own.getBrowserSession("hash")).toEqual({ ...SESSION, lastSeenAt: now + 1 });
    await writer.deleteBrowserSession("hash");
    expect(await own.getBrowserSession("hash")).toBeUndefined();
  }
});
