import type { Dependencies } from "../../lib/application/dependencies.ts";
import { withTelemetry } from "../../lib/application/with-telemetry.ts";
import { pause } from "../../lib/kernel/timers.ts";
import type { OtlpExporterConfiguration, TelemetryConfiguration } from "../../lib/telemetry/configuration.ts";
import { ownLogger } from "../../lib/telemetry/otlp/delivery-log.ts";
import type { MetricExport, SpanExport } from "../../lib/telemetry/sdk/exports.ts";
import type { Observations } from "../../lib/telemetry/sdk/meter.ts";
import type { Pipeline } from "../../lib/telemetry/sdk/pipeline.ts";

export interface EdgeTelemetryOptions {
  readonly soid: string;
  /** Connections to a collector. Throws `OutboundError` when a file of its TLS settings cannot be used. */
  readonly openFetch: (exporter: OtlpExporterConfiguration) => typeof fetch;
  /** What the platform tells about itself. */
  readonly observations?: Observations;
  /** Instances that end without saying so count from export to export, whatever is configured. */
  readonly onlyDeltas?: boolean;
}

/**
 * The dependencies with `telemetry` as it is configured, for runtimes where nothing runs between requests: spans leave
 * after the request in which they ended, metrics after the first request and at most once an interval. A request is one of
 * the active ones until what it delivers is delivered.
 */
export async function measuredAtEdge(dependencies: Dependencies, options: EdgeTelemetryOptions): Promise<Dependencies> {
  const { configuration } = dependencies;
  const first = configuration().configuration;
  const { telemetry } = first;
  if (telemetry === undefined) return dependencies;
  const { createPipeline } = await import("../../lib/telemetry/sdk/pipeline.ts");
  const pipeline = createPipeline({
    configuration: first,
    telemetry: options.onlyDeltas === true ? withDeltas(telemetry) : telemetry,
    soid: options.soid,
    logger: ownLogger(dependencies),
    current: () => configuration().configuration.telemetry,
    openFetch: options.openFetch,
    observations: options.observations ?? {},
    onSpan: () => undefined,
  });
  return withTelemetry(dependencies, { ...pipeline.telemetry, flush: flushOf(pipeline) });
}

function withDeltas(telemetry: TelemetryConfiguration): TelemetryConfiguration {
  return { ...telemetry, readers: telemetry.readers.map((reader) => ({ ...reader, temporality: "delta" })) };
}

/** Requests share what waits, but no promise: each delivers what it finds (D29). */
function flushOf({ spans, metrics }: Pipeline): () => Promise<void> {
  const due = metrics.map(exportWhenDue);
  return async () => {
    // Encoding takes a moment, which the answer should not wait for.
    await pause(0);
    await Promise.all([...spans.map(exportAll), ...due.map((exportDue) => exportDue())]);
  };
}

async function exportAll(spans: SpanExport): Promise<void> {
  while (spans.queue.size > 0) await spans.export(spans.queue.take(spans.batchSize), {});
}

function exportWhenDue(metrics: MetricExport): () => Promise<void> {
  let exportedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const now = Date.now();
    // A clock that was set back makes it due.
    if (now >= exportedAt && now - exportedAt < metrics.interval) return;
    exportedAt = now;
    await metrics.export({});
  };
}
