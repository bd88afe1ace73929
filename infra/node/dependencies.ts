import { clientIds } from "../../lib/api-clients/client-id.ts";
import { createRereadBudget } from "../../lib/api-clients/reread-budget.ts";
import { systemClock } from "../../lib/clock.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Dependencies } from "../../lib/dependencies.ts";
import { uuid } from "../../lib/ids.ts";
import { configuredLogger } from "../../lib/logging/configured-logger.ts";
import { createRefusalRecords } from "../../lib/oauth/refusal-records.ts";
import { webCryptoRandom } from "../../lib/random.ts";
import { hasOwner } from "../../lib/stores/sql/directory.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import { clientIdSecret } from "./client-id-secret.ts";
import { fileErrorReason } from "./file-error.ts";
import { keptFile } from "./kept-file.ts";
import { nodeSignatureVerifier } from "./signature-verifier.ts";
import { startHousekeeping } from "./sqlite/housekeeping.ts";
import { openSqlite } from "./sqlite/open.ts";
import { StartupError } from "./startup-error.ts";

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
 * @throws StartupError when the store cannot be opened
 */
export function openNodeDependencies(configuration: Configuration, options: NodeOptions): NodeDependencies {
  try {
    return open(configuration, options);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    const reason = fileErrorReason(error);
    throw new StartupError(`Cannot open the store in ${configuration.store.path}: ${reason}.`, { cause: error });
  }
}

function open(configuration: Configuration, options: NodeOptions): NodeDependencies {
  const clock = systemClock;
  const random = webCryptoRandom;
  const { path } = configuration.store;
  const secret = clientIdSecret(configuration, random);
  const soid = keptFile(path, "soid", () => Buffer.from(uuid(random))).toString("utf8");
  const { logger: logging } = configuration;
  const logger = configuredLogger({
    configuration: logging,
    verbose: options.verbose ?? false,
    ...options,
    clock,
    soid,
  });
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
      refusalRecords: createRefusalRecords(clock),
      fetch: globalThis.fetch,
      clientIds: clientIds(secret),
    },
    hasOwner: () => executor.read(hasOwner),
    close: () => {
      housekeeping.stop();
      executor.close();
    },
  };
}
