import { openFetch } from "../../infra/node/net/open-fetch.ts";
import { type NodeTelemetry, startTelemetry } from "../../infra/node/telemetry/start.ts";
import { withTelemetry } from "../../lib/application/with-telemetry.ts";
import type {
  MetricReaderConfiguration,
  OtlpExporterConfiguration,
  SpanProcessorConfiguration,
  TelemetryConfiguration,
} from "../../lib/telemetry/configuration.ts";
import { ownLogger } from "../../lib/telemetry/otlp/delivery-log.ts";
import { type InProcess, startInProcess } from "../support/in-process.ts";

/** The product in this process as Node measures it. */
export interface StartedTelemetry extends InProcess {
  /** Answers one request, to its end. */
  request(path: string, headers?: Readonly<Record<string, string>>): Promise<number>;
  /** What exporters send with from now on, as when a secret changes. */
  reconfigure(telemetry: TelemetryConfiguration): void;
  /** Delivers what is left within the time, milliseconds. */
  flush(within?: number): Promise<void>;
}

export async function startedTelemetry(telemetry: Partial<TelemetryConfiguration>): Promise<StartedTelemetry> {
  const configured = { readers: [], processors: [], samplerRatio: 1, ...telemetry };
  let current: TelemetryConfiguration = configured;
  let started: NodeTelemetry | undefined;
  const product = await startInProcess({
    adapt: (dependencies) => {
      const { configuration } = dependencies;
      const logger = ownLogger(dependencies);
      const now = () => ({
        ...configuration(),
        configuration: { ...configuration().configuration, telemetry: current },
      });
      const options = { configuration: now, soid: "test", logger, fetch, openFetch: openFetch({}) };
      started = startTelemetry(configured, options);
      return withTelemetry({ ...dependencies, configuration: now }, started.telemetry);
    },
  });
  const flush = async (within = 10_000) => started?.close(within);
  return {
    ...product,
    request: async (path, headers = {}) => {
      const response = await product.send(path, { headers });
      await response.arrayBuffer();
      return response.status;
    },
    reconfigure: (changed) => {
      current = changed;
    },
    flush,
    close: async () => {
      await flush(0);
      await product.close();
    },
  };
}

export function exporter(
  endpoint: string,
  settings: Partial<OtlpExporterConfiguration> = {},
): OtlpExporterConfiguration {
  return {
    protocol: "http/protobuf",
    endpoint,
    insecure: false,
    timeout: 10_000,
    headers: {},
    compression: "none",
    ...settings,
  };
}

export function simple(endpoint: string, settings?: Partial<OtlpExporterConfiguration>): SpanProcessorConfiguration {
  return { type: "simple", exporter: exporter(endpoint, settings) };
}

/** A batch that nothing but its size exports, unless the limits say otherwise. */
export function batch(
  endpoint: string,
  limits: Partial<Extract<SpanProcessorConfiguration, { readonly type: "batch" }>> = {},
): SpanProcessorConfiguration {
  return {
    type: "batch",
    exporter: exporter(endpoint),
    scheduleDelay: NEVER,
    maxQueueSize: 2_048,
    maxExportBatchSize: 512,
    exportTimeout: 30_000,
    ...limits,
  };
}

/** A reader that exports at the end only, unless the settings say otherwise. */
export function reader(endpoint: string, settings: Partial<MetricReaderConfiguration> = {}): MetricReaderConfiguration {
  return { interval: NEVER, exporter: exporter(endpoint), temporality: "cumulative", ...settings };
}

/** Longer than any test, milliseconds. */
const NEVER = 3_600_000;
