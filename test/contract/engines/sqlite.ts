import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openEmbeddedStore } from "../../../infra/node/sqlite/embedded-store.ts";
import type { Cleaning } from "../../../infra/node/sqlite/housekeeping.ts";
import { openStoreThread } from "../../../infra/node/store-thread/open.ts";
import type { Clock } from "../../../lib/kernel/clock.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { newStoreFolder } from "../../support/store-folder.ts";
import { type OpenStores, RETENTION, type StoreEngine } from "../engine.ts";
import { killedWriter } from "../kill/child.ts";
import type { MortalEngine } from "../kill/engine.ts";
import { clockAhead } from "./clock.ts";
import { moveConnectionRow } from "./moved-rows.ts";

/** The ways to open the store of a folder, by the engine's name. */
export const SQLITE_OPENERS = {
  SQLite: openEmbeddedStore,
  "SQLite in its own thread": openStoreThread,
} as const satisfies Readonly<Record<string, OpenFolder>>;

export type SqliteName = keyof typeof SQLITE_OPENERS;

type OpenFolder = (folder: string, clock: Clock) => OpenedFolder;

interface OpenedFolder {
  readonly stores: Stores;
  readonly cleaning: Cleaning;
  close(): Promise<void>;
}

/** SQLite on disk as Node has it, one engine for each way to open it. */
export const sqliteEngines: readonly StoreEngine[] = (Object.keys(SQLITE_OPENERS) as SqliteName[]).map((name) => ({
  name,
  open: () => openFolder(SQLITE_OPENERS[name]),
}));

/** As the one server of a folder has it open. Nobody else writes to sessions, so that other openings are the same one. */
export const loneSqliteEngine: StoreEngine = {
  name: "SQLite of a lone server",
  open: async () => {
    const open = await openFolder((folder, clock) => openStoreThread(folder, clock, { isAlone: true }));
    let { stores } = open;
    return {
      ...open,
      stores,
      another: async () => stores,
      reopen: async () => {
        stores = await open.reopen();
        return stores;
      },
    };
  },
};

async function openFolder(openStore: OpenFolder): Promise<OpenStores> {
  const folder = newStoreFolder();
  let first = openStore(folder, clockAhead(0));
  const others: OpenedFolder[] = [];
  return {
    stores: first.stores,
    another: async (ahead = 0) => {
      const other = openStore(folder, clockAhead(ahead));
      others.push(other);
      return other.stores;
    },
    reopen: async () => {
      await first.close();
      first = openStore(folder, clockAhead(0));
      return first.stores;
    },
    moveConnection: async (from, to) => {
      await first.close();
      moveConnectionRow(
        (await readdir(folder)).filter((name) => name.endsWith(".db")).map((name) => join(folder, name)),
        from,
        to,
      );
      first = openStore(folder, clockAhead(0));
      return first.stores;
    },
    housekeep: async () => {
      while (await first.cleaning.clean(RETENTION));
    },
    close: async () => {
      for (const { close } of [first, ...others]) await close();
      await rm(folder, { recursive: true });
    },
  };
}

/** The same, written by processes that are killed. */
export const mortalSqliteEngines: readonly MortalEngine[] = (Object.keys(SQLITE_OPENERS) as SqliteName[]).map(
  (name) => ({
    name,
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), "countersign-killed-"));
      const open: OpenedFolder[] = [];
      return {
        writeAndKill: (acknowledgements) => killedWriter("sqlite-writer.ts", [name, folder], acknowledgements),
        stores: async () => {
          const opened = SQLITE_OPENERS[name](folder, clockAhead(0));
          open.push(opened);
          return opened.stores;
        },
        close: async () => {
          for (const { close } of open) await close();
          await rm(folder, { recursive: true });
        },
      };
    },
  }),
);
