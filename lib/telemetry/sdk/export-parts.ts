import type { Attributes } from "../attributes.ts";
import type { OtlpExporterConfiguration, TelemetryConfiguration } from "../configuration.ts";
import type { OwnLogger } from "../own-logger.ts";

/** What every exporter needs besides its configuration. */
export interface ExportParts {
  /** The configuration as it is now: its secrets may change while everything is as it was built. */
  readonly current: () => TelemetryConfiguration | undefined;
  readonly logger: OwnLogger;
  /** Connections to a collector, with the TLS settings that its exporter has. Throws `OutboundError`. */
  readonly openFetch: (exporter: OtlpExporterConfiguration) => typeof globalThis.fetch;
}

/** As the semantic conventions name an SDK's parts: their type, and which of that type it is. */
export function componentOf(type: string, index: number): Attributes {
  return { "otel.component.type": type, "otel.component.name": `${type}/${index}` };
}

export function exporterComponent(
  { protocol }: OtlpExporterConfiguration,
  signal: "span" | "metric",
  index: number,
): Attributes {
  return componentOf(`${protocol === "http/json" ? "otlp_http_json" : "otlp_http"}_${signal}_exporter`, index);
}
