import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { systemClock } from "../../lib/clock.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { apiClientsContract } from "./api-clients.ts";
import { auditLogContract } from "./audit-log.ts";
import { directoryContract } from "./directory.ts";
import type { StoreEngine } from "./engine.ts";
import { singleUseContract } from "./single-use.ts";
import { tokensContract } from "./tokens.ts";

const sqlite: StoreEngine = {
  name: "SQLite",
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), "countersign-sqlite-"));
    let executor = openSqlite(folder);
    return {
      stores: sqlStores(executor, systemClock),
      reopen: async () => {
        executor.close();
        executor = openSqlite(folder);
        return sqlStores(executor, systemClock);
      },
      close: async () => {
        executor.close();
        await rm(folder, { recursive: true });
      },
    };
  },
};

apiClientsContract(sqlite);
tokensContract(sqlite);
singleUseContract(sqlite);
directoryContract(sqlite);
auditLogContract(sqlite);
