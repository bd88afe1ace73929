/** `telemetry`: where metrics and traces go. Times in milliseconds. */
export interface TelemetryConfiguration {
  readonly readers: readonly MetricReaderConfiguration[];
  readonly processors: readonly SpanProcessorConfiguration[];
  /** Share of the traces that begin here and are recorded, 0 to 1; whoever calls with a trace decides for it. */
  readonly samplerRatio: number;
}

/** Collects metrics every `interval` and exports them. */
export interface MetricReaderConfiguration {
  readonly interval: number;
  readonly exporter: OtlpExporterConfiguration;
  readonly temporality: "cumulative" | "delta" | "lowmemory";
}

export type SpanProcessorConfiguration =
  | { readonly type: "simple"; readonly exporter: OtlpExporterConfiguration }
  | {
      readonly type: "batch";
      readonly exporter: OtlpExporterConfiguration;
      readonly scheduleDelay: number;
      readonly maxQueueSize: number;
      readonly maxExportBatchSize: number;
      readonly exportTimeout: number;
    };

/** One OTLP exporter over HTTP (OTLP 1.x). */
export interface OtlpExporterConfiguration {
  readonly protocol: "http/protobuf" | "http/json";
  /** Used as it is, with its path. */
  readonly endpoint: string;
  /** TLS certificates are not verified. */
  readonly insecure: boolean;
  readonly timeout: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: "gzip" | "none";
  /** Path of a PEM file with the CA of the collector. */
  readonly certificate?: string;
  readonly clientCertificate?: string;
  readonly clientKey?: string;
}
