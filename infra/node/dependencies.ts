import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { uuid } from "../../lib/ids.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { hasOwner } from "../../lib/stores/sql/directory.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { clientIdSecret } from "./client-id-secret.ts";
import { keptFile } from "./kept-file.ts";
import { nodeLogger } from "./logger.ts";
import { nodeSignatureVerifier } from "./signature-verifier.ts";
import { startHousekeeping } from "./sqlite/housekeeping.ts";
import { openSqlite } from "./sqlite/open.ts";

export interface NodeOptions {
  /** Receives each log line without its line break. */
  readonly write: (line: string) => void;
  readonly verbose?: boolean;
}

export interface NodeDependencies {
  readonly dependencies: Dependencies;
  /** Whether the instance has an owner, so that the setup token is of no use any more. */
  hasOwner(): Promise<boolean>;
  /** Finishes queued writes and closes the database. */
  close(): void;
}

/**
 * Opens the embedded store and builds everything the product needs around it. Used by the server and by the
 * administration commands, also while a server runs on the same store.
 */
export function openNodeDependencies(configuration: Configuration, options: NodeOptions): NodeDependencies {
  const clock = systemClock;
  const random = webCryptoRandom;
  const { path } = configuration.store;
  const secret = clientIdSecret(configuration, random);
  const soid = keptFile(path, "soid", () => Buffer.from(uuid(random))).toString("utf8");
  const { logger: logging } = configuration;
  const logger = nodeLogger({ configuration: logging, verbose: options.verbose ?? false, ...options, clock, soid });
  const executor = openSqlite(path);
  const housekeeping = startHousekeeping(executor, clock, logger);
  const snapshot = { revision: 1, configuration };
  return {
    dependencies: {
      configuration: () => snapshot,
      stores: sqlStores(executor, clock),
      clock,
      random,
      logger,
      signatures: nodeSignatureVerifier(),
      rereads: createRereadBudget(clock),
      fetch: globalThis.fetch,
      clientIdSecret: secret,
    },
    hasOwner: () => executor.read(hasOwner),
    close: () => {
      housekeeping.stop();
      executor.close();
    },
  };
}
