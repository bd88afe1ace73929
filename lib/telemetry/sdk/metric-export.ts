import { JsonMetricsSerializer, ProtobufMetricsSerializer } from "@opentelemetry/otlp-transformer";
import type { ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { createDeliveryLog } from "../otlp/delivery-log.ts";
import { createExporter, type ExportOptions } from "../otlp/exporter.ts";
import { type ExportParts, exporterComponent } from "./export-parts.ts";
import type { Collector, MeasuringMeter } from "./meter.ts";

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
