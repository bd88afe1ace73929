/** One metric: what it is called at the collector, what it counts and in which unit (UCUM). */
export interface Metric {
  /** A histogram or counter is recorded as things happen; the others are read when metrics are collected. */
  readonly kind: "histogram" | "counter" | "observedSum" | "observedCounter";
  readonly unit: string;
  readonly description: string;
  /** Upper bounds of a histogram's buckets. */
  readonly boundaries?: readonly number[];
}

/** Seconds; the semantic conventions of HTTP. */
const HTTP_BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Seconds; the semantic conventions of MCP. */
const MCP_BOUNDARIES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];

/** Every metric, by name: OpenTelemetry's semantic conventions where they have one, else `countersign.`. */
export const METRICS = {
  "http.server.request.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from a request to the end of its answer.",
    boundaries: HTTP_BOUNDARIES,
  },
  "http.server.active_requests": {
    kind: "observedSum",
    unit: "{request}",
    description: "Requests that are being answered.",
  },
  "countersign.mcp.active_sessions": {
    kind: "observedSum",
    unit: "{session}",
    description: "Sessions of agents that a request or a stream of this instance belongs to.",
  },
  "http.client.request.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from a request to another service to the headers of its answer.",
    boundaries: HTTP_BOUNDARIES,
  },
  "mcp.server.operation.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from an MCP request or notification to the end of its answer.",
    boundaries: MCP_BOUNDARIES,
  },
  "mcp.server.session.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time from the beginning of an MCP session to its end.",
    boundaries: MCP_BOUNDARIES,
  },
  "countersign.token.requests": {
    kind: "counter",
    unit: "{request}",
    description: "Requests to the token endpoint.",
  },
  "countersign.inbound.authentications": {
    kind: "counter",
    unit: "{authentication}",
    description: "Access tokens that agents presented.",
  },
  "countersign.token.exchange.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time that an exchange of a token took: for an app of the gateway, or at the token endpoint.",
    boundaries: HTTP_BOUNDARIES,
  },
  "countersign.policy.duration": {
    kind: "histogram",
    unit: "s",
    description: "Time that a policy took to decide on a call, or on what is listed.",
    boundaries: HTTP_BOUNDARIES,
  },
  "countersign.upstream.circuit.changes": {
    kind: "counter",
    unit: "{change}",
    description: "Times that requests to an MCP server were stopped, tried and let through again.",
  },
  "countersign.upstream.refusals": {
    kind: "counter",
    unit: "{request}",
    description: "Requests that were not sent to an MCP server, because it did not answer or had too many.",
  },
  "countersign.upstream.waits.expired": {
    kind: "counter",
    unit: "{call}",
    description: "Calls to an MCP server that were given up, as the agent did not bring what the server had asked for.",
  },
  "countersign.config.activated": {
    kind: "counter",
    unit: "{configuration}",
    description: "Published configurations that were taken over while the instance ran.",
  },
  "countersign.config.refused": {
    kind: "counter",
    unit: "{configuration}",
    description: "Published configurations that were not taken over.",
  },
  "process.memory.usage": {
    kind: "observedSum",
    unit: "By",
    description: "Physical memory in use.",
  },
  "nodejs.eventloop.time": {
    kind: "observedCounter",
    unit: "s",
    description: "Time that the event loop was busy, and time that it waited.",
  },
  "otel.sdk.processor.span.processed": {
    kind: "counter",
    unit: "{span}",
    description: "Spans that were lost because the queue was full.",
  },
  "otel.sdk.exporter.span.exported": {
    kind: "counter",
    unit: "{span}",
    description: "Spans whose export ended; with `error.type`, those that were lost.",
  },
  "otel.sdk.exporter.metric_data_point.exported": {
    kind: "counter",
    unit: "{data_point}",
    description: "Data points whose export ended; with `error.type`, those that were lost.",
  },
} as const satisfies Readonly<Record<string, Metric>>;

export type MetricName = keyof typeof METRICS;

type NamesOf<Kind extends Metric["kind"]> = {
  [Name in MetricName]: (typeof METRICS)[Name]["kind"] extends Kind ? Name : never;
}[MetricName];

/** Metrics that are recorded as things happen. */
export type RecordedMetric = NamesOf<"histogram" | "counter">;
/** Metrics that are read when metrics are collected. */
export type ObservedMetric = NamesOf<"observedSum" | "observedCounter">;
