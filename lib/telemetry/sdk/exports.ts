import {
  JsonMetricsSerializer,
  JsonTraceSerializer,
  ProtobufMetricsSerializer,
  ProtobufTraceSerializer,
} from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { Attributes } from "../attributes.ts";
import type {
  OtlpExporterConfiguration,
  SpanProcessorConfiguration,
  TelemetryConfiguration,
} from "../configuration.ts";
import { createDeliveryLog, type OwnLogger } from "../otlp/delivery-log.ts";
import { createExporter, type Export, type ExportOptions } from "../otlp/exporter.ts";
import type { Collector, MeasuringMeter } from "./meter.ts";
import { readableSpan, type SpanRecord } from "./span-record.ts";

/** What every exporter needs besides its configuration. */
export interface ExportParts {
  /** The configuration as it is now: its secrets may change while everything is as it was built. */
  readonly current: () => TelemetryConfiguration | undefined;
  readonly logger: OwnLogger;
  /** Connections to a collector, with the TLS settings that its exporter has. Throws `OutboundError`. */
  readonly openFetch: (exporter: OtlpExporterConfiguration) => typeof globalThis.fetch;
}

/** Where a processor's spans wait, and how they leave. */
export interface SpanExport {
  readonly processor: SpanProcessorConfiguration;
  readonly queue: SpanQueue<SpanRecord>;
  /** Spans in one export at most. */
  readonly batchSize: number;
  /** Queues an ended span, or loses it. */
  add(span: SpanRecord): void;
  readonly export: Export<readonly SpanRecord[]>;
}

export interface SpanExportParts extends ExportParts {
  readonly meter: MeasuringMeter;
  readonly resource: Resource;
}

/** A processor without limits of its own has those that the specification gives a batch. */
const DEFAULT_LIMITS = { maxQueueSize: 2_048, maxExportBatchSize: 512 };

/** @param index which of the processors it is */
export function createSpanExport(
  processor: SpanProcessorConfiguration,
  index: number,
  { current, logger, openFetch, meter, resource }: SpanExportParts,
): SpanExport {
  const { exporter } = processor;
  const limits = processor.type === "batch" ? processor : DEFAULT_LIMITS;
  const log = createDeliveryLog({ logger, signal: "spans", endpoint: exporter.endpoint });
  const queue = createSpanQueue<SpanRecord>(limits.maxQueueSize);
  const component = componentOf(
    processor.type === "batch" ? "batching_span_processor" : "simple_span_processor",
    index,
  );
  const counted = exporterComponent(exporter, "span", index);
  const exportSpans = createExporter({
    configuration: () => current()?.processors[index]?.exporter ?? exporter,
    serializer: exporter.protocol === "http/json" ? JsonTraceSerializer : ProtobufTraceSerializer,
    fetch: openFetch(exporter),
    log,
    sizeOf: (batch: ReadableSpan[]) => batch.length,
    count: (size, errorType) =>
      meter.record("otel.sdk.exporter.span.exported", size, { ...counted, "error.type": errorType }),
  });
  return {
    processor,
    queue,
    batchSize: limits.maxExportBatchSize,
    add: (span) => {
      if (queue.add(span)) return;
      meter.record("otel.sdk.processor.span.processed", 1, { ...component, "error.type": "queue_full" });
      log.dropped(1);
    },
    export: (spans, options) => {
      const batch = spans.map((span) => readableSpan(span, resource));
      return exportSpans(batch, { ...limitOf(processor), ...options });
    },
  };
}

/** A batch may have a limit of its own besides the exporter's. */
function limitOf(processor: SpanProcessorConfiguration): { readonly within?: number } {
  return processor.type === "batch" ? { within: processor.exportTimeout } : {};
}

/** How a reader's metrics leave: everything that there is to say, now. */
export interface MetricExport {
  /** Milliseconds from one export to the next. */
  readonly interval: number;
  /** Never rejects. */
  export(options: ExportOptions): Promise<void>;
}

/** @param index which of the readers it is */
export function createMetricExport(
  { configuration: { exporter, interval }, collect }: Collector,
  index: number,
  { current, logger, openFetch, meter }: ExportParts & { readonly meter: MeasuringMeter },
): MetricExport {
  const counted = exporterComponent(exporter, "metric", index);
  const exportMetrics = createExporter({
    configuration: () => current()?.readers[index]?.exporter ?? exporter,
    serializer: exporter.protocol === "http/json" ? JsonMetricsSerializer : ProtobufMetricsSerializer,
    fetch: openFetch(exporter),
    log: createDeliveryLog({ logger, signal: "metrics", endpoint: exporter.endpoint }),
    sizeOf: dataPointsOf,
    count: (size, errorType) =>
      meter.record("otel.sdk.exporter.metric_data_point.exported", size, { ...counted, "error.type": errorType }),
  });
  return {
    interval,
    export: async (options) => {
      const metrics = await collect();
      if (dataPointsOf(metrics) > 0) await exportMetrics(metrics, options);
    },
  };
}

function dataPointsOf({ scopeMetrics }: ResourceMetrics): number {
  return scopeMetrics.flatMap(({ metrics }) => metrics).reduce((sum, { dataPoints }) => sum + dataPoints.length, 0);
}

/** As the semantic conventions name an SDK's parts: their type, and which of that type it is. */
function componentOf(type: string, index: number): Attributes {
  return { "otel.component.type": type, "otel.component.name": `${type}/${index}` };
}

function exporterComponent(
  { protocol }: OtlpExporterConfiguration,
  signal: "span" | "metric",
  index: number,
): Attributes {
  return componentOf(`${protocol === "http/json" ? "otlp_http_json" : "otlp_http"}_${signal}_exporter`, index);
}

/** What waits for its export, oldest first, and never more than it may be. */
interface SpanQueue<T> {
  readonly size: number;
  /** False when the queue is full: then it is lost. */
  add(item: T): boolean;
  /** Takes the oldest away, `count` of them at most. */
  take(count: number): readonly T[];
}

function createSpanQueue<T>(capacity: number): SpanQueue<T> {
  let items: T[] = [];
  return {
    get size() {
      return items.length;
    },
    add: (item) => {
      if (items.length >= capacity) return false;
      items.push(item);
      return true;
    },
    take: (count) => {
      if (count < items.length) return items.splice(0, count);
      const all = items;
      items = [];
      return all;
    },
  };
}
