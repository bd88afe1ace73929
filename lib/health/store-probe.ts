import type { Clock } from "../kernel/clock.ts";
import type { WaitUntil } from "../kernel/refreshing-cache.ts";
import { pollUntil, withTimeout } from "../kernel/timers.ts";
import { reportTo } from "../logging/fetch-report.ts";
import type { Logger } from "../logging/logger.ts";
import type { Stores } from "../stores/stores.ts";

/** Whether the store keeps what is written, and answers a read, as found out at most once a second however often it is asked. */
export type StoreProbe = (waitUntil: WaitUntil) => Promise<boolean>;

/** How long an answer is good for, milliseconds. */
const LIFETIME = 1_000;
/** A read takes milliseconds. Whoever asks for the health has waited enough after this long. */
const LIMIT = 1_000;
/** No organization has this id: one record is looked up and none is read. */
const NOBODY = "org_health";

interface StoreProbePorts {
  readonly stores: Pick<Stores, "directory">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absent: only reads are looked at. */
  readonly storeKeepsWrites?: () => boolean;
}

export function createStoreProbe({
  stores,
  clock,
  logger,
  storeKeepsWrites = () => true,
}: StoreProbePorts): StoreProbe {
  const report = reportTo(logger, "store", {});
  let found: { readonly isUp: boolean; readonly at: number } | undefined;
  let failures = 0;
  let probingSince = Number.NEGATIVE_INFINITY;

  const isWithin = (time: number, since: number) => Math.abs(clock.now() - since) < time;
  const isFresh = () => found !== undefined && isWithin(LIFETIME, found.at);

  async function probe(): Promise<void> {
    probingSince = clock.now();
    try {
      await withTimeout(LIMIT, stores.directory.getOrganization(NOBODY));
      if (failures > 0) report.succeeded(failures);
      failures = 0;
    } catch (cause) {
      failures += 1;
      report.failed(cause, { failures });
    }
    probingSince = Number.NEGATIVE_INFINITY;
    found = { isUp: failures === 0, at: clock.now() };
  }

  return async (waitUntil) => {
    if (!storeKeepsWrites()) return false;
    if (isFresh()) return found?.isUp === true;
    // A runtime may have ended a probe midway: then it is not waited for longer than it could have taken.
    if (isWithin(2 * LIMIT, probingSince)) return (await pollUntil(isFresh, LIMIT)) && found?.isUp === true;
    const probing = probe();
    waitUntil(probing);
    await probing;
    return found?.isUp === true;
  };
}
