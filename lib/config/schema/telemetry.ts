import * as z from "zod";
import { about } from "#about";
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
  protocol: described(choice(["http/protobuf", "http/json"]).default("http/protobuf"), about("Encoding of the data.")),
  insecure: described(
    flag().default(false),
    about("Skips verification of the collector's certificate. Refused on Workers."),
  ),
  timeout: described(milliseconds().default(10_000), about("Timeout of one export, in milliseconds.")),
  headers: described(
    headers.default({}),
    about("Headers of every export, for example a credential.", {
      authorization: "<telemetry.token>",
    }),
  ),
  compression: described(choice(["none", "gzip"]).default("none"), about("Compression of the exported data.")),
  certificate: described(
    file().optional(),
    about(
      "PEM file of the certificate authorities to trust for the collector, instead of the public ones.",
      "/etc/countersign/tls/collector-ca.crt",
    ),
  ),
  clientCertificate: described(
    file().optional(),
    about("PEM file of the client certificate for the collector.", "/etc/countersign/tls/telemetry.crt"),
  ),
  clientKey: described(
    file().optional(),
    about("PEM file of the client certificate's private key.", "/etc/countersign/tls/telemetry.key"),
  ),
};

/** An OTLP exporter of metrics. */
const metricExporter = described(
  section({
    endpoint: endpoint("https://collector.example.com:4318/v1/metrics"),
    ...OTLP,
    temporality: described(
      choice(["cumulative", "delta", "lowmemory"]).default("cumulative"),
      about("Whether sums count from the start or from the last export."),
    ),
  }),
  about("An OTLP collector."),
);

/** An OTLP exporter of spans. */
const spanExporter = described(
  section({ endpoint: endpoint("https://collector.example.com:4318/v1/traces"), ...OTLP }),
  about("An OTLP collector."),
);

function endpoint(example: string) {
  return described(url(), about("URL of the collector, with its path.", example));
}

// Defaults are those of the OpenTelemetry specification (metrics SDK, trace SDK) where ours names none.

const LARGEST_QUEUE = 1_000_000;

const periodic = section({
  interval: described(milliseconds().default(60_000), about("Interval between collections, in milliseconds.")),
  exporter: described(section({ otlp: metricExporter }), about("Destination of the metrics.")),
});

const reader = section({ periodic: described(periodic, about("Collects and exports at an interval.")) });

const simple = section({ exporter: described(section({ otlp: spanExporter }), about("Destination of the spans.")) });

const batch = section({
  scheduleDelay: described(milliseconds().default(5_000), about("Interval between exports, in milliseconds.")),
  maxQueueSize: described(
    integer(1, LARGEST_QUEUE).default(2_048),
    about("Largest number of waiting spans. More spans are dropped."),
  ),
  maxExportBatchSize: described(
    integer(1, LARGEST_QUEUE).default(512),
    about("Largest number of spans in one export. At most `maxQueueSize`."),
  ),
  exportTimeout: described(milliseconds().default(30_000), about("Timeout of one export, in milliseconds.")),
  exporter: described(section({ otlp: spanExporter }), about("Destination of the spans.")),
});

const processor = section({
  simple: described(simple.optional(), about("Exports each span when it ends.")),
  batch: described(batch.optional(), about("Exports spans in batches. Exactly one of `simple` and `batch`.")),
});

const sampler = section({
  ratio: described(
    fraction().default(1),
    about("Share of the traces that start here and are recorded. If the caller sends a trace, the caller decides."),
  ),
});

/** `telemetry`: metrics and traces over OTLP. What depends on several keys is in `rules/telemetry.ts`. */
export const telemetry = described(
  section({
    metrics: described(
      section({
        readers: described(
          list(reader).default([]),
          about("Metric readers. Each one collects and exports on its own."),
        ),
      }).prefault({}),
      about("Metrics."),
    ),
    traces: described(
      section({
        processors: described(
          list(processor).default([]),
          about("Span processors. Each one exports every recorded span."),
        ),
        sampler: described(sampler.prefault({}), about("Which traces are recorded.")),
      }).prefault({}),
      about("Distributed traces."),
    ),
  }).optional(),
  about("Metrics and traces over OTLP. Without it, there are none."),
);
