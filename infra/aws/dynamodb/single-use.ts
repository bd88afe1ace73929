import type { Clock } from "../../../lib/clock.ts";
import type { SingleUse } from "../../../lib/stores/single-use.ts";
import { consume } from "./consume.ts";
import type { Database } from "./database.ts";
import { singleUseKey } from "./keys.ts";

/** Values that count once, in the records table. */
export function dynamoSingleUse(database: Database, clock: Clock): SingleUse {
  return {
    consume: (namespace, key, expiresAt) => consume(database, singleUseKey(namespace, key), expiresAt, clock.now()),
  };
}
