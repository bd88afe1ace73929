import type { Clock } from "../../../lib/kernel/clock.ts";
import { hasOwner } from "../../../lib/stores/sql/directory.ts";
import { type SchemaAhead, schemasAhead } from "../../../lib/stores/sql/migrate.ts";
import { allMigrations, sqlStores } from "../../../lib/stores/sql/stores.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import { tellingUnavailable } from "../../../lib/stores/unavailable.ts";
import type { Keeping } from "../store-thread/keeping.ts";
import { isPassing, isStorageFailure } from "./busy.ts";
import { type Cleaning, cleaning } from "./housekeeping.ts";
import { openSqlite } from "./open.ts";
import { diskReserve } from "./reserve.ts";

/** The embedded store of one folder, as this process has it open. */
export interface EmbeddedStore {
  readonly stores: Stores;
  readonly cleaning: Cleaning;
  /** Whether the instance has an owner, so that the setup token is of no use any more. */
  hasOwner(): Promise<boolean>;
  /** What a release brought up to date that may not run beside this one. */
  schemasAhead(): Promise<readonly SchemaAhead[]>;
  /** Whether what is written is kept, as far as that is known. Absent: each write says it for itself. */
  readonly keeping?: StoreKeeping;
  /** Commits what was asked for and closes the database. What does not await it must not have asked for anything. */
  close(): Promise<void>;
}

export interface StoreKeeping {
  isKept(): boolean;
  /** Tells the listener what is known, and each change. */
  listen(listener: (keeping: Keeping) => void): void;
}

/**
 * Opens the store in this thread, for commands: each write is flushed to disk while the process waits. On a full disk a command
 * may use the reserve: whoever runs it is at the machine.
 */
export function openEmbeddedStore(folder: string, clock: Clock): EmbeddedStore {
  const failed = (error: unknown) => isStorageFailure(error) && diskReserve(folder).giveUp();
  const executor = openSqlite(folder, { failed });
  return {
    stores: tellingUnavailable(sqlStores(executor, clock), isPassing),
    cleaning: cleaning(executor, clock),
    hasOwner: () => executor.read(hasOwner),
    schemasAhead: () => executor.read((db) => schemasAhead(db, allMigrations)),
    close: async () => executor.close(),
  };
}
