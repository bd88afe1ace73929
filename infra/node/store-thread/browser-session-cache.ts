import { boundedCache } from "../../../lib/kernel/bounded-cache.ts";
import type { BrowserSessionRecord } from "../../../lib/stores/directory.ts";
import type { SqlDatabase } from "../../../lib/stores/sql/database.ts";
import type { Stores } from "../../../lib/stores/stores.ts";
import type { GroupCommit } from "../sqlite/group-commit.ts";

type Directory = Stores["directory"];

/** At some kilobytes each; claims have up to 32. */
const CAPACITY = 2_000;

/**
 * Keeps the sessions of people that were read, for as long as nobody has committed anything to the database: this process, another one
 * of the server, or a command. SQLite tells that by a number, in a quarter of the time in which it finds a session. So a session that was
 * ended anywhere is found ended by the next request, as without the cache.
 *
 * @param reader a connection that writes nothing: its own commits would not change the number
 */
export function withBrowserSessionCache(directory: Directory, reader: Pick<GroupCommit, "readLatest">): Directory {
  let kept = boundedCache<string, BrowserSessionRecord>(CAPACITY);
  let version: unknown;
  return {
    ...directory,
    getBrowserSession: async (sessionHash) => {
      const current = await reader.readLatest(dataVersion);
      if (current !== version) {
        kept = boundedCache(CAPACITY);
        version = current;
      }
      const known = kept.get(sessionHash);
      if (known !== undefined) return known;
      const filled = kept;
      const session = await directory.getBrowserSession(sessionHash);
      // It was read after the number, so it is at least as new; what it is newer by changes the number.
      if (session !== undefined) filled.put(sessionHash, session);
      return session;
    },
  };
}

function dataVersion(db: SqlDatabase): unknown {
  return db.all("PRAGMA data_version")[0]?.data_version;
}
