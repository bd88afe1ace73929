import { randomFillSync } from "node:crypto";
import type { Random } from "../../../lib/kernel/random.ts";

const POOL_BYTES = 4_096;

/**
 * Random bytes of the system's generator, fetched ahead: asking for a few costs nearly as much as asking for many. What
 * was handed out is erased from the pool.
 */
export function pooledRandom(): Random {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return {
    bytes: (length) => {
      if (length > POOL_BYTES) return randomFillSync(new Uint8Array(length));
      if (used + length > POOL_BYTES) {
        randomFillSync(pool);
        used = 0;
      }
      const bytes = pool.slice(used, used + length);
      pool.fill(0, used, used + length);
      used += length;
      return bytes;
    },
  };
}
