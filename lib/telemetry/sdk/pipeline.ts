import { SDK_INFO } from "@opentelemetry/core";
import { type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { VERSION } from "../../kernel/version.ts";
import type { TelemetryConfiguration } from "../configuration.ts";
import type { Telemetry } from "../telemetry.ts";
import {
  createMetricExport,
  createSpanExport,
  type ExportParts,
  type MetricExport,
  type SpanExport,
} from "./exports.ts";
import { createMeter, measureActivity, type Observations } from "./meter.ts";
import type { SpanRecord } from "./span-record.ts";
import { createTracer } from "./tracer.ts";

/** The part of a configuration that says where the instance is. */
interface Located {
  readonly publicURL: string;
  readonly oidcProvider?: { readonly region: string } | undefined;
}

export interface PipelineOptions extends ExportParts {
  /** What it is built for; later only what exporters send with follows `current`. */
  readonly configuration: Located;
  readonly telemetry: TelemetryConfiguration;
  /** Tells the instance from all others, as in its log. */
  readonly soid: string;
  /** What the platform tells about itself. */
  readonly observations: Observations;
  /** Runs when a span has been queued. */
  readonly onSpan: () => void;
}

/** Records, and leaves it to the runtime when what was recorded is exported. */
export interface Pipeline {
  readonly telemetry: Omit<Telemetry, "flush">;
  /** One for each processor, in the order of the configuration. */
  readonly spans: readonly SpanExport[];
  /** One for each reader, in the order of the configuration. */
  readonly metrics: readonly MetricExport[];
}

/** Builds what the configuration names. Nothing is registered globally. */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { configuration, telemetry, soid, observations, onSpan } = options;
  const resource = createResource(configuration, soid);
  const { observations: active, ...activity } = measureActivity(new URL(configuration.publicURL).protocol.slice(0, -1));
  const meter = createMeter({ resource, readers: telemetry.readers, observations: { ...observations, ...active } });
  const parts = { ...options, resource, meter };
  const spans = telemetry.processors.map((processor, index) => createSpanExport(processor, index, parts));
  const metrics = meter.collectors.map((collector, index) => createMetricExport(collector, index, parts));
  const onEnd = (span: SpanRecord) => {
    for (const { add } of spans) add(span);
    onSpan();
  };
  const { samplerRatio } = telemetry;
  const startSpan = spans.length === 0 ? () => undefined : createTracer({ samplerRatio, onEnd });
  return { telemetry: { startSpan, record: meter.record, ...activity }, spans, metrics };
}

/**
 * What an instance says it is in everything that it sends: `service.*` of the semantic conventions, the SDK, and the
 * region where it has one.
 *
 * @param soid tells the instance from all others, as in its log
 */
function createResource({ oidcProvider }: Pick<Located, "oidcProvider">, soid: string): Resource {
  return resourceFromAttributes({
    "service.name": "countersign",
    "service.version": VERSION,
    "service.instance.id": soid,
    "telemetry.sdk.name": SDK_INFO["telemetry.sdk.name"],
    "telemetry.sdk.language": SDK_INFO["telemetry.sdk.language"],
    "telemetry.sdk.version": SDK_INFO["telemetry.sdk.version"],
    ...(oidcProvider !== undefined && { "countersign.region": oidcProvider.region }),
  });
}
