import { systemClock } from "../../../lib/kernel/clock.ts";
import { SQLITE_OPENERS, type SqliteName } from "../engines/sqlite.ts";
import { writeUntilKilled } from "./workload.ts";

// Writes into a folder's store, opened in the named way, until it is killed.
const [name, folder] = process.argv.slice(2) as [SqliteName, string];
await writeUntilKilled(SQLITE_OPENERS[name](folder, systemClock).stores);
