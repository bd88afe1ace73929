import type { Clock } from "../../../lib/kernel/clock.ts";
import { createTurns } from "../../../lib/kernel/turns.ts";
import { portOf } from "../../../lib/stores/operations.ts";
import { hasOwner } from "../../../lib/stores/sql/directory.ts";
import { readingFirst } from "../../../lib/stores/sql/mcp-sessions.ts";
import { schemasAhead } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations, sqlStores } from "../../../lib/stores/sql/stores.ts";
import { eachStore, type Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import { isPassing, isStorageFailure } from "../sqlite/busy.ts";
import type { EmbeddedStore } from "../sqlite/embedded-store.ts";
import type { GroupCommit } from "../sqlite/group-commit.ts";
import { openSqlite } from "../sqlite/open.ts";
import { diskReserve } from "../sqlite/reserve.ts";
import { withBrowserSessionCache } from "./browser-session-cache.ts";
import { type CallsOptions, startCalls, startThread, type ThreadCalls } from "./calls.ts";
import type { Keeping } from "./keeping.ts";
import { withSessionCache } from "./session-cache.ts";
import { socketLink } from "./socket.ts";
import { type OtherCaches, withVerificationCache } from "./verification-cache.ts";

export interface StoreThreadOptions {
  /** Whether no other process serves this store. Commands may run beside it: they write to no sessions. */
  readonly isAlone?: boolean;
  /** Where other processes of the server reach the thread. Absent: they do not. */
  readonly socket?: string | undefined;
}

/**
 * Opens the store of a server. Writes are committed in a thread of their own, so that no request waits while another's is
 * flushed to disk; reads stay in the caller's, on a connection that sees every commit that was acknowledged.
 */
export function openStoreThread(
  folder: string,
  clock: Clock,
  { isAlone = false, socket }: StoreThreadOptions = {},
): EmbeddedStore {
  const start = (options: CallsOptions) => startThread({ folder, socket }, options);
  return around(openWithReserve(folder), clock, start, isAlone ? "alone" : undefined);
}

/** Opens the store of a server in another of its processes, whose store's thread commits what is written (D195). */
export function openStoreOfOther(folder: string, clock: Clock, socket: string, others: OtherCaches): EmbeddedStore {
  const start = (options: CallsOptions) => startCalls((events) => socketLink(socket, events), options);
  return around(openWithReserve(folder), clock, start, others);
}

/** @param others what else serves the store, if that is known */
function around(
  reader: GroupCommit,
  clock: Clock,
  start: (options: CallsOptions) => ThreadCalls,
  others: OtherCaches | "alone" | undefined,
): EmbeddedStore {
  let keeping: Keeping = { kept: true };
  let tell = (_: Keeping): void => undefined;
  const changed = (next: Keeping): void => {
    if (next.kept && keeping.kept) return;
    keeping = next;
    tell(next);
  };
  const thread = start({ changed });
  const read = sqlStores(reader, clock);
  const directory = withBrowserSessionCache(read.directory, reader);
  const stored = tellingUnavailable({ ...read, directory }, isPassing);
  const isAlone = others === "alone";
  return {
    stores: inTurns(withCache(writingThrough(thread, stored, isAlone), clock, isAlone ? undefined : others)),
    cleaning: { clean: async (auditRetention) => (await thread.call("cleaning", "clean", [auditRetention])) === true },
    hasOwner: () => reader.read(hasOwner),
    schemasAhead: () => reader.read((db) => schemasAhead(db, allMigrations)),
    keeping: {
      isKept: () => keeping.kept,
      listen: (listener) => {
        tell = listener;
        if (!keeping.kept) listener(keeping);
      },
    },
    close: async () => {
      await thread.close();
      reader.close();
    },
  };
}

/** On a full disk even the memory that connections share finds no room. Then the reserve is what it is opened with. */
function openWithReserve(folder: string): GroupCommit {
  try {
    return openSqlite(folder);
  } catch (error) {
    if (!isStorageFailure(error) || !diskReserve(folder).giveUp()) throw error;
    return openSqlite(folder);
  }
}

function withCache(stores: Stores, clock: Clock, others: OtherCaches | undefined): Stores {
  return { ...stores, apiClients: withVerificationCache(stores.apiClients, clock, others) };
}

/** Searches, exports and overviews look at thousands of records each: organizations take turns, and requests come between. */
function inTurns(stores: Stores): Stores {
  const turns = createTurns();
  const { query, tally } = stores.auditLog;
  const auditLog: Stores["auditLog"] = {
    ...stores.auditLog,
    query: (filter, page) => turns(filter.organizationId ?? "", () => query(filter, page)),
    tally: (request) => turns(request.organizationId, () => tally(request)),
  };
  return { ...stores, auditLog };
}

/** Reads as they are; everything else through the thread. Arguments and results are copied (structured clone). */
function writingThrough(thread: ThreadCalls, stores: Stores, isAlone: boolean): Stores {
  const through = eachStore((name, table) => {
    const writes = Object.fromEntries(Object.entries(table).filter(([, { kind }]) => kind !== "read"));
    return { ...stores[name], ...portOf(writes, (operation, _kind, args) => thread.call(name, operation, args)) };
  });
  const mcpSessions = isAlone ? withSessionCache(through.mcpSessions) : through.mcpSessions;
  return { ...through, mcpSessions: { ...mcpSessions, use: readingFirst(mcpSessions.get, mcpSessions.use) } };
}
