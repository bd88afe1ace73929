import { JsonTraceSerializer, ProtobufTraceSerializer } from "@opentelemetry/otlp-transformer";
import type { Resource } from "@opentelemetry/resources";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import type { SpanProcessorConfiguration } from "../configuration.ts";
import { createDeliveryLog } from "../otlp/delivery-log.ts";
import { createExporter, type Export } from "../otlp/exporter.ts";
import { createSpanQueue, type SpanQueue } from "../span-queue.ts";
import { componentOf, type ExportParts, exporterComponent } from "./export-parts.ts";
import type { MeasuringMeter } from "./meter.ts";
import { readableSpan, type SpanRecord } from "./span-record.ts";

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
