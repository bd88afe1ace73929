import { rmSync } from "node:fs";
import { nodeSigningCrypto } from "../../infra/node/crypto/signing-crypto.ts";
import { openSqlite } from "../../infra/node/sqlite/open.ts";
import { createKeyRing, type KeyRingParts } from "../../lib/authorization-server/keys/create-key-ring.ts";
import type { KeyRing } from "../../lib/authorization-server/keys/key-ring.ts";
import type { Configuration, OidcProviderConfiguration } from "../../lib/config/configuration.ts";
import { webCryptoRandom } from "../../lib/kernel/random.ts";
import { lineLogger } from "../../lib/logging/line-logger.ts";
import { jsonLine } from "../../lib/logging/log-line.ts";
import type { SigningKeys } from "../../lib/stores/signing-keys.ts";
import { sqlStores } from "../../lib/stores/sql/stores.ts";
import type { Stores } from "../../lib/stores/stores.ts";
import { inProcessConfiguration, PROVIDER, START } from "../support/in-process.ts";
import { newStoreFolder } from "../support/store-folder.ts";

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** Instances of one region that share a store and a clock. */
export interface Rings {
  readonly stores: Stores;
  /** Log lines of all instances. */
  readonly logs: readonly string[];
  now(): number;
  forward(milliseconds: number): void;
  ring(options?: RingOptions): KeyRing;
  close(): void;
}

export interface RingOptions {
  readonly provider?: Partial<OidcProviderConfiguration>;
  readonly parts?: Partial<Omit<KeyRingParts, "signingKeys">>;
  /** Puts something between the instance and its keys. */
  readonly adapt?: (signingKeys: SigningKeys) => SigningKeys;
}

export const SECRET = webCryptoRandom.bytes(32);

export function openRings(): Rings {
  const folder = newStoreFolder();
  const executor = openSqlite(folder);
  let current = START;
  const clock = { now: () => current };
  const stores = sqlStores(executor, clock);
  const logs: string[] = [];
  const logger = lineLogger({
    level: "debug",
    format: jsonLine,
    write: (line) => logs.push(line),
    clock,
    soid: "test",
  });
  return {
    stores,
    logs,
    now: clock.now,
    forward: (milliseconds) => {
      current += milliseconds;
    },
    ring: ({ provider = {}, parts = {}, adapt = (same: SigningKeys) => same } = {}) => {
      const configuration: Configuration = { ...inProcessConfiguration, oidcProvider: { ...PROVIDER, ...provider } };
      return createKeyRing({
        configuration: () => ({ revision: 1, configuration }),
        clock,
        random: webCryptoRandom,
        logger,
        crypto: nodeSigningCrypto(),
        keySecret: () => SECRET,
        ...parts,
        signingKeys: adapt(stores.signingKeys),
      });
    },
    close: () => {
      executor.close();
      rmSync(folder, { recursive: true });
    },
  };
}
