import { described } from "./described.ts";
import { metricExporter, spanExporter } from "./otlp.ts";
import { section } from "./section.ts";
import { fraction, integer, list, milliseconds } from "./types.ts";

// Defaults are those of the OpenTelemetry specification (metrics SDK, trace SDK) where ours names none.

const LARGEST_QUEUE = 1_000_000;

const periodic = section({
  interval: described(milliseconds().default(60_000), "Milliseconds from one collection to the next."),
  exporter: described(section({ otlp: metricExporter }), "Where the metrics go."),
});

const reader = section({ periodic: described(periodic, "Collects and exports regularly.") });

const simple = section({ exporter: described(section({ otlp: spanExporter }), "Where each span goes when it ends.") });

const batch = section({
  scheduleDelay: described(milliseconds().default(5_000), "Milliseconds from one export to the next."),
  maxQueueSize: described(integer(1, LARGEST_QUEUE).default(2_048), "Spans that wait at most; further ones are lost."),
  maxExportBatchSize: described(
    integer(1, LARGEST_QUEUE).default(512),
    "Spans in one export at most; no more than `maxQueueSize`.",
  ),
  exportTimeout: described(milliseconds().default(30_000), "Milliseconds that an export may take."),
  exporter: described(section({ otlp: spanExporter }), "Where the spans go."),
});

const processor = section({
  simple: described(simple.optional(), "Exports spans as they end."),
  batch: described(batch.optional(), "Exports spans together. Exactly one of `simple` and `batch`."),
});

const sampler = section({
  ratio: described(
    fraction().default(1),
    "Share of the traces that begin here and are recorded; a caller that comes with a trace decides for it.",
  ),
});

/** `telemetry`: metrics and traces over OTLP. What depends on several keys is in `rules/telemetry.ts`. */
export const telemetry = described(
  section({
    metrics: described(
      section({ readers: described(list(reader).default([]), "Each collects and exports by itself.") }).prefault({}),
      "Metrics.",
    ),
    traces: described(
      section({
        processors: described(list(processor).default([]), "Each exports every recorded span."),
        sampler: described(sampler.prefault({}), "Which traces are recorded."),
      }).prefault({}),
      "Distributed traces.",
    ),
  }).optional(),
  "Metrics and traces over OTLP. Without it nothing is measured.",
);
