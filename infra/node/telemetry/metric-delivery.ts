import type { MetricExport } from "../../../lib/telemetry/sdk/metric-export.ts";

/** Exports a reader's metrics again and again. */
export interface MetricDelivery {
  /** Exports what was measured since the last time, and is the last to do so. */
  flush(): Promise<void>;
}

/**
 * One export at a time: where one takes longer than the interval, the next ones are left out, and nothing is missing in
 * the one after them.
 *
 * @param signal ends what is under way
 */
export function startMetricDelivery(metrics: MetricExport, signal: AbortSignal): MetricDelivery {
  let running: Promise<void> | undefined;
  const run = () => {
    running ??= metrics.export({ signal }).finally(() => {
      running = undefined;
    });
    return running;
  };
  const timer = setInterval(run, metrics.interval).unref();
  return {
    flush: async () => {
      clearInterval(timer);
      await running;
      if (!signal.aborted) await run();
    },
  };
}
