import type { MetricExport, SpanExport } from "../../../lib/telemetry/sdk/exports.ts";

/** Exports a reader's metrics periodically. */
interface MetricDelivery {
  /** Exports what was measured since the last time, and is the last to do so. */
  flush(): Promise<void>;
}

/**
 * Runs one export at a time. If an export takes longer than the interval, the next ones are skipped, and the following export
 * includes their values.
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

/** Milliseconds from one export of a simple processor to the next while spans keep ending. */
const SIMPLE_INTERVAL = 100;

/** Exports a processor's spans in their own time. */
export interface SpanDelivery {
  /** A span has been queued. */
  schedule(): void;
  /** Exports everything that waits; over when that is done or given up. */
  flush(): Promise<void>;
}

/**
 * One export at a time, as the specification of the trace SDK wants it, and none in the turn of the event loop in which
 * a request is answered. A batch leaves when it is full or its delay is over. A simple processor's span leaves at once,
 * in a busy server together with those that ended since the last export.
 *
 * @param signal ends what is under way, and whatever would come
 */
export function startSpanDelivery(
  { processor, queue, batchSize, ...spans }: SpanExport,
  signal: AbortSignal,
): SpanDelivery {
  let timer: NodeJS.Timeout | undefined;
  let isUrgent = false;
  let running: Promise<void> | undefined;
  let exportedAt = Number.NEGATIVE_INFINITY;

  const schedule = () => {
    if (running !== undefined || queue.size === 0) return;
    const isFull = queue.size >= batchSize;
    if (timer !== undefined && isUrgent === isFull) return;
    isUrgent = isFull;
    clearTimeout(timer);
    timer = setTimeout(run, isFull ? 0 : delay()).unref();
  };
  const delay = () =>
    processor.type === "batch"
      ? processor.scheduleDelay
      : Math.max(0, exportedAt + SIMPLE_INTERVAL - performance.now());
  const run = () => {
    clearTimeout(timer);
    timer = undefined;
    if (signal.aborted) return;
    exportedAt = performance.now();
    running ??= spans.export(queue.take(batchSize), { signal }).finally(() => {
      running = undefined;
      schedule();
    });
  };

  return {
    schedule,
    flush: async () => {
      while (!signal.aborted && (running !== undefined || queue.size > 0)) {
        run();
        await running;
      }
      clearTimeout(timer);
    },
  };
}
