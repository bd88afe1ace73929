import type {
  MetricReaderConfiguration,
  OtlpExporterConfiguration,
  SpanProcessorConfiguration,
  TelemetryConfiguration,
} from "../../telemetry/configuration.ts";
import type { ConfigurationDocument } from "../schema/document.ts";
import { present } from "./present.ts";

type Document = NonNullable<ConfigurationDocument["telemetry"]>;
type Reader = Document["metrics"]["readers"][number];
type Processor = Document["traces"]["processors"][number];
type Exporter = NonNullable<Processor["simple"]>["exporter"]["otlp"];

/** Where metrics and traces go; undefined when the document says nothing about it. */
export function assembleTelemetry(document: ConfigurationDocument["telemetry"]): TelemetryConfiguration | undefined {
  if (document === undefined) return undefined;
  return {
    readers: document.metrics.readers.map(assembleReader),
    processors: document.traces.processors.flatMap(assembleProcessor),
    samplerRatio: document.traces.sampler.ratio,
  };
}

function assembleReader({ periodic: { interval, exporter } }: Reader): MetricReaderConfiguration {
  const { temporality, ...otlp } = exporter.otlp;
  return { interval, exporter: assembleExporter(otlp), temporality };
}

/** One of the two is there: `rules/telemetry.ts` has seen to it. */
function assembleProcessor({ simple, batch }: Processor): readonly SpanProcessorConfiguration[] {
  if (simple !== undefined) return [{ type: "simple", exporter: assembleExporter(simple.exporter.otlp) }];
  if (batch === undefined) return [];
  const { exporter, ...limits } = batch;
  return [{ type: "batch", exporter: assembleExporter(exporter.otlp), ...limits }];
}

function assembleExporter({
  certificate,
  clientCertificate,
  clientKey,
  ...exporter
}: Exporter): OtlpExporterConfiguration {
  return { ...exporter, ...present({ certificate, clientCertificate, clientKey }) };
}
