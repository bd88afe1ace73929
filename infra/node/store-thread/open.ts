import type { Clock } from "../../../lib/kernel/clock.ts";
import { portOf } from "../../../lib/stores/operations.ts";
import { hasOwner } from "../../../lib/stores/sql/directory.ts";
import { readingFirst } from "../../../lib/stores/sql/mcp-sessions.ts";
import { schemasAhead } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations, sqlStores } from "../../../lib/stores/sql/stores.ts";
import { eachStore, type Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { isBusy } from "../sqlite/busy.ts";
import type { EmbeddedStore } from "../sqlite/embedded-store.ts";
import { openSqlite } from "../sqlite/open.ts";
import { startThread, type ThreadCalls } from "./calls.ts";
import { withVerificationCache } from "./verification-cache.ts";

/**
 * Opens the store of a server. Writes are committed in a thread of their own, so that no request waits while another's is
 * flushed to disk; reads stay in the caller's, on a connection that sees every commit that was acknowledged.
 */
export function openStoreThread(folder: string, clock: Clock): EmbeddedStore {
  const reader = openSqlite(folder);
  const thread = startThread({ folder });
  return {
    stores: withCache(writingThrough(thread, tellingUnavailable(sqlStores(reader, clock), isBusy)), clock),
    cleaning: { clean: async () => (await thread.call("cleaning", "clean", [])) === true },
    hasOwner: () => reader.read(hasOwner),
    schemasAhead: () => reader.read((db) => schemasAhead(db, allMigrations)),
    close: async () => {
      await thread.close();
      reader.close();
    },
  };
}

function withCache(stores: Stores, clock: Clock): Stores {
  return { ...stores, apiClients: withVerificationCache(stores.apiClients, clock) };
}

/** Reads as they are; everything else through the thread. Arguments and results are copied (structured clone). */
function writingThrough(thread: ThreadCalls, stores: Stores): Stores {
  const through = eachStore((name, table) => {
    const writes = Object.fromEntries(Object.entries(table).filter(([, { kind }]) => kind !== "read"));
    return { ...stores[name], ...portOf(writes, (operation, _kind, args) => thread.call(name, operation, args)) };
  });
  const { mcpSessions } = through;
  return { ...through, mcpSessions: { ...mcpSessions, use: readingFirst(mcpSessions.get, mcpSessions.use) } };
}
