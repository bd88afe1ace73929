import * as z from "zod";
import { described, section } from "./section.ts";
import { choice, file, flag, fraction, integer, list, milliseconds, secret, text, url } from "./types.ts";

const HEADERS = "a mapping of HTTP header names to text";
const HEADER_NAME = "an HTTP header name (RFC 9110 section 5.1)";

const headers = secret(
  z.record(z.string({ error: HEADER_NAME }).regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/), text(), {
    error: ({ code }) => (code === "invalid_key" ? HEADER_NAME : HEADERS),
  }),
);

const OTLP = {
  protocol: described(choice(["http/protobuf", "http/json"]).default("http/protobuf"), "Encoding of the data."),
  insecure: described(flag().default(false), "Skips verification of the collector's certificate. Refused on Workers."),
  timeout: described(milliseconds().default(10_000), "Timeout of one export, in milliseconds."),
  headers: described(headers.default({}), "Headers of every export, for example a credential.", {
    authorization: "<telemetry.token>",
  }),
  compression: described(choice(["none", "gzip"]).default("none"), "Compression of the exported data."),
  certificate: described(
    file().optional(),
    "PEM file of the certificate authorities to trust for the collector, instead of the public ones.",
    "/etc/countersign/tls/collector-ca.crt",
  ),
  clientCertificate: described(
    file().optional(),
    "PEM file of the client certificate for the collector.",
    "/etc/countersign/tls/telemetry.crt",
  ),
  clientKey: described(
    file().optional(),
    "PEM file of the client certificate's private key.",
    "/etc/countersign/tls/telemetry.key",
  ),
};

/** An OTLP exporter of metrics. */
const metricExporter = described(
  section({
    endpoint: endpoint("https://collector.example.com:4318/v1/metrics"),
    ...OTLP,
    temporality: described(
      choice(["cumulative", "delta", "lowmemory"]).default("cumulative"),
      "Whether sums count from the start or from the last export.",
    ),
  }),
  "An OTLP collector.",
);

/** An OTLP exporter of spans. */
const spanExporter = described(
  section({ endpoint: endpoint("https://collector.example.com:4318/v1/traces"), ...OTLP }),
  "An OTLP collector.",
);

function endpoint(example: string) {
  return described(url(), "URL of the collector, with its path.", example);
}

// Defaults are those of the OpenTelemetry specification (metrics SDK, trace SDK) where ours names none.

const LARGEST_QUEUE = 1_000_000;

const periodic = section({
  interval: described(milliseconds().default(60_000), "Interval between collections, in milliseconds."),
  exporter: described(section({ otlp: metricExporter }), "Destination of the metrics."),
});

const reader = section({ periodic: described(periodic, "Collects and exports at an interval.") });

const simple = section({ exporter: described(section({ otlp: spanExporter }), "Destination of the spans.") });

const batch = section({
  scheduleDelay: described(milliseconds().default(5_000), "Interval between exports, in milliseconds."),
  maxQueueSize: described(
    integer(1, LARGEST_QUEUE).default(2_048),
    "Largest number of waiting spans. More spans are dropped.",
  ),
  maxExportBatchSize: described(
    integer(1, LARGEST_QUEUE).default(512),
    "Largest number of spans in one export. At most `maxQueueSize`.",
  ),
  exportTimeout: described(milliseconds().default(30_000), "Timeout of one export, in milliseconds."),
  exporter: described(section({ otlp: spanExporter }), "Destination of the spans."),
});

const processor = section({
  simple: described(simple.optional(), "Exports each span when it ends."),
  batch: described(batch.optional(), "Exports spans in batches. Exactly one of `simple` and `batch`."),
});

const sampler = section({
  ratio: described(
    fraction().default(1),
    "Share of the traces that start here and are recorded. If the caller sends a trace, the caller decides.",
  ),
});

/** `telemetry`: metrics and traces over OTLP. What depends on several keys is in `rules/telemetry.ts`. */
export const telemetry = described(
  section({
    metrics: described(
      section({
        readers: described(list(reader).default([]), "Metric readers. Each one collects and exports on its own."),
      }).prefault({}),
      "Metrics.",
    ),
    traces: described(
      section({
        processors: described(list(processor).default([]), "Span processors. Each one exports every recorded span."),
        sampler: described(sampler.prefault({}), "Which traces are recorded."),
      }).prefault({}),
      "Distributed traces.",
    ),
  }).optional(),
  "Metrics and traces over OTLP. Without it, there are none.",
);
