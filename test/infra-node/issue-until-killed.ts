import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { apiClient, tokenIssue } from "../contract/records.ts";

// Issues tokens into the folder of the first argument and prints each request once it is issued, until killed.
const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("The first argument names the store's folder.");
const stores = sqlStores(openSqlite(folder), systemClock);

await Promise.all(
  Array.from({ length: 4 }, async () => {
    for (;;) {
      const request = await tokenIssue(apiClient());
      const { outcome } = await stores.tokens.issue(request);
      if (outcome === "issued") process.stdout.write(`${JSON.stringify(request)}\n`);
    }
  }),
);
