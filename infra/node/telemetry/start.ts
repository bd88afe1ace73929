import type { ConfigurationSnapshot } from "../../../lib/config/configuration.ts";
import type { TelemetryConfiguration } from "../../../lib/telemetry/configuration.ts";
import type { OwnLogger } from "../../../lib/telemetry/otlp/delivery-log.ts";
import { createPipeline } from "../../../lib/telemetry/sdk/pipeline.ts";
import type { Telemetry } from "../../../lib/telemetry/telemetry.ts";
import { type CollectorConnections, collectorFetch } from "./collector-fetch.ts";
import { startMetricDelivery, startSpanDelivery } from "./delivery.ts";
import { processObservations } from "./process-metrics.ts";

export interface NodeTelemetryOptions extends CollectorConnections {
  readonly configuration: () => ConfigurationSnapshot;
  readonly soid: string;
  readonly logger: OwnLogger;
}

export interface NodeTelemetry {
  readonly telemetry: Telemetry;
  /** Delivers what is left, but stops trying after the time, milliseconds. Never rejects. */
  close(within: number): Promise<void>;
}

/**
 * Records and exports in the background for as long as the process runs.
 * @throws OutboundError when a file of an exporter's TLS settings cannot be used
 */
export function startTelemetry(telemetry: TelemetryConfiguration, options: NodeTelemetryOptions): NodeTelemetry {
  const { configuration } = options.configuration();
  const pipeline = createPipeline({
    ...options,
    configuration,
    telemetry,
    current: () => options.configuration().configuration.telemetry,
    openFetch: collectorFetch(options),
    observations: processObservations(),
    onSpan: () => {
      for (const { schedule } of spans) schedule();
    },
  });
  const ending = new AbortController();
  const spans = pipeline.spans.map((one) => startSpanDelivery(one, ending.signal));
  const metrics = pipeline.metrics.map((one) => startMetricDelivery(one, ending.signal));
  return {
    telemetry: pipeline.telemetry,
    close: async (within) => {
      const limit = setTimeout(() => ending.abort(), within);
      await Promise.all([...spans, ...metrics].map(({ flush }) => flush()));
      clearTimeout(limit);
    },
  };
}
