import type { Meter, ObservableResult } from "@opentelemetry/api";
import type { Resource } from "@opentelemetry/resources";
import {
  AggregationTemporality,
  AggregationType,
  type IMetricReader,
  InstrumentType,
  MeterProvider,
  type MetricProducer,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import { VERSION } from "../../kernel/version.ts";
import type { Attributes } from "../attributes.ts";
import type { MetricReaderConfiguration } from "../configuration.ts";
import { METRICS, type Metric, type MetricName, type ObservedMetric, type RecordedMetric } from "../metrics.ts";
import type { Telemetry } from "../telemetry.ts";

/** A value of a metric that is read when metrics are collected. */
interface Measurement {
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

/** Series of one metric at most; what comes on top is counted together, as `otel.metric.overflow`. */
const CARDINALITY_LIMIT = 2_000;

/**
 * A reader that collects when it is asked to. The SDK's own keeps time by itself and shares its exports between
 * requests, which Workers forbids (D29).
 */
function createReader(temporality: MetricReaderConfiguration["temporality"]): {
  readonly reader: IMetricReader;
  collect(): Promise<ResourceMetrics>;
} {
  let producer: MetricProducer | undefined;
  const collect = async () => {
    if (producer === undefined) throw new Error("the reader belongs to no meter provider");
    return producer.collect();
  };
  const done = () => Promise.resolve();
  const reader: IMetricReader = {
    setMetricProducer: (given) => {
      producer = given;
    },
    selectAggregation: () => ({ type: AggregationType.DEFAULT }),
    selectAggregationTemporality: (type) => (DELTAS[temporality].has(type) ? DELTA : AggregationTemporality.CUMULATIVE),
    selectCardinalityLimit: () => CARDINALITY_LIMIT,
    collect,
    forceFlush: done,
    shutdown: done,
  };
  return { reader, collect: async () => (await collect()).resourceMetrics };
}

const DELTA = AggregationTemporality.DELTA;

/** What counts from the last export (OTLP metrics exporter, temporality preference); all else counts from the start. */
const DELTAS: Readonly<Record<MetricReaderConfiguration["temporality"], ReadonlySet<InstrumentType>>> = {
  cumulative: new Set(),
  delta: new Set([InstrumentType.COUNTER, InstrumentType.OBSERVABLE_COUNTER, InstrumentType.HISTOGRAM]),
  lowmemory: new Set([InstrumentType.COUNTER, InstrumentType.HISTOGRAM]),
};

/** What an instance is doing at once: requests by method, and the sessions that they belong to. */
export interface Activity extends Pick<Telemetry, "countActive" | "countSession"> {
  readonly observations: Observations;
}

/** @param scheme of the public URL, `http` or `https` */
export function measureActivity(scheme: string): Activity {
  const requests = new Map<string, number>();
  const sessions = new Map<string, number>();
  return {
    countActive: (method, change) => void requests.set(method, (requests.get(method) ?? 0) + change),
    countSession: (sessionHash, change) => {
      const count = (sessions.get(sessionHash) ?? 0) + change;
      if (count > 0) sessions.set(sessionHash, count);
      else sessions.delete(sessionHash);
    },
    observations: {
      "http.server.active_requests": () =>
        Array.from(requests, ([method, value]) => ({
          value,
          attributes: { "http.request.method": method, "url.scheme": scheme },
        })),
      "countersign.mcp.active_sessions": () => [{ value: sessions.size, attributes: {} }],
    },
  };
}
