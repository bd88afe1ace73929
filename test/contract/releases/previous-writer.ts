import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { openPrevious } from "../engines/sqlite-releases.ts";
import { apiClient } from "../records.ts";
import { previousSql } from "./previous-sql.ts";

// Creates API clients as the previous release did, in the store of the first argument's folder, and prints each, until killed.
const db = openPrevious(join(process.argv[2] ?? "", "countersign.db"));
for (;;) {
  const { grantRevision: _, ...client } = apiClient();
  db.transaction(() => previousSql.createClient(db, client));
  previousSql.client(db, client.clientId);
  process.stdout.write(`${JSON.stringify(client)}\n`);
  await setImmediate();
}
