import {
  AggregationTemporality,
  AggregationType,
  type IMetricReader,
  InstrumentType,
  type MetricProducer,
  type ResourceMetrics,
} from "@opentelemetry/sdk-metrics";
import type { MetricReaderConfiguration } from "../configuration.ts";

/** Series of one metric at most; what comes on top is counted together, as `otel.metric.overflow`. */
const CARDINALITY_LIMIT = 2_000;

/**
 * A reader that collects when it is asked to. The SDK's own keeps time by itself and shares its exports between
 * requests, which Workers forbids (D29).
 */
export function createReader(temporality: MetricReaderConfiguration["temporality"]): {
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
