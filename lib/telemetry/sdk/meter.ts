import type { Meter, ObservableResult } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import { MeterProvider, type ResourceMetrics } from "@opentelemetry/sdk-metrics";
import { VERSION } from "../../version.ts";
import type { Attributes } from "../attributes.ts";
import type { MetricReaderConfiguration } from "../configuration.ts";
import { METRICS, type Metric, type MetricName, type ObservedMetric, type RecordedMetric } from "../metrics.ts";
import { createReader } from "./metric-reader.ts";

/** A value of a metric that is read when metrics are collected. */
export interface Measurement {
  readonly value: number;
  readonly attributes: Attributes;
}

/** How observed metrics are read; those without an entry do not exist on this runtime. */
export type Observations = { readonly [name in ObservedMetric]?: () => readonly Measurement[] };

export interface MeterOptions {
  readonly resource: Resource;
  readonly readers: readonly MetricReaderConfiguration[];
  readonly observations: Observations;
}

export interface MeasuringMeter {
  record(metric: RecordedMetric, value: number, attributes: Attributes): void;
  /** One for each reader, in their order. */
  readonly collectors: readonly Collector[];
}

/** A reader and what it reads: everything that was measured, or since the last time, as its temporality wants it. */
export interface Collector {
  readonly configuration: MetricReaderConfiguration;
  collect(): Promise<ResourceMetrics>;
}

/** Everything that `METRICS` lists, aggregated for each reader by itself. */
export function createMeter({ resource, readers: configured, observations }: MeterOptions): MeasuringMeter {
  const readers = configured.map((configuration) => ({ configuration, ...createReader(configuration.temporality) }));
  const provider = new MeterProvider({ resource, readers: readers.map(({ reader }) => reader) });
  const meter = provider.getMeter("countersign", VERSION);
  for (const [name, read] of Object.entries(observations)) observe(meter, name as ObservedMetric, read);
  const recorders = new Map<MetricName, (value: number, attributes: Attributes) => void>();
  return {
    record: (metric, value, attributes) => {
      const recorder = recorders.get(metric) ?? createRecorder(meter, metric);
      recorders.set(metric, recorder);
      recorder(value, attributes);
    },
    collectors: readers,
  };
}

function createRecorder(meter: Meter, name: RecordedMetric): (value: number, attributes: Attributes) => void {
  const { kind, unit, description, boundaries }: Metric = METRICS[name];
  if (kind === "counter") {
    const counter = meter.createCounter(name, { unit, description });
    return (value, attributes) => counter.add(value, present(attributes));
  }
  const advice = boundaries && { explicitBucketBoundaries: [...boundaries] };
  const histogram = meter.createHistogram(name, { unit, description, ...(advice && { advice }) });
  return (value, attributes) => histogram.record(value, present(attributes));
}

function observe(meter: Meter, name: ObservedMetric, read: () => readonly Measurement[]): void {
  const { kind, unit, description }: Metric = METRICS[name];
  const options = { unit, description };
  const metric =
    kind === "observedSum"
      ? meter.createObservableUpDownCounter(name, options)
      : meter.createObservableCounter(name, options);
  metric.addCallback((result: ObservableResult) => {
    for (const { value, attributes } of read()) result.observe(value, present(attributes));
  });
}

/** The SDK would count an undefined value as one of its own. Mostly there is none, and nothing to copy. */
function present(attributes: Attributes): Attributes {
  const values: readonly unknown[] = Object.values(attributes);
  if (!values.includes(undefined)) return attributes;
  const known: Record<string, string | number> = {};
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) known[name] = value;
  return known;
}
