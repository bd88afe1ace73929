import root from "@opentelemetry/otlp-proto-exporter-base/build/src/generated/root.js";

/** An export as collectors understand it, whichever of the two encodings it came in. */
export interface ReceivedSpan {
  readonly name: string;
  /** 2 server, 3 client, 1 internal. */
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly attributes: ReceivedAttributes;
  /** 0 unset, 2 error. */
  readonly status: number;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly resource: ReceivedAttributes;
}

export interface ReceivedMetric {
  readonly name: string;
  readonly unit: string;
  readonly kind: "sum" | "gauge" | "histogram";
  /** 1 delta, 2 cumulative. */
  readonly temporality: number;
  readonly isMonotonic: boolean;
  readonly points: readonly ReceivedPoint[];
  readonly resource: ReceivedAttributes;
}

export interface ReceivedPoint {
  readonly attributes: ReceivedAttributes;
  /** Of a sum or gauge; the sum of a histogram. */
  readonly value: number;
  /** Of a histogram. */
  readonly count: number;
  readonly bounds: readonly number[];
}

export type ReceivedAttributes = Readonly<Record<string, string | number | boolean>>;

export type Signal = "traces" | "metrics";
type Encoding = "json" | "protobuf";

export function decodeSpans(bytes: Uint8Array, encoding: Encoding): readonly ReceivedSpan[] {
  return list(decode(bytes, "traces", encoding).resourceSpans).flatMap(({ resource, scopeSpans }) =>
    list(scopeSpans).flatMap(({ spans }) => list(spans).map((span) => readSpan(span, resource as Json, encoding))),
  );
}

export function decodeMetrics(bytes: Uint8Array, encoding: Encoding): readonly ReceivedMetric[] {
  return list(decode(bytes, "metrics", encoding).resourceMetrics).flatMap(({ resource, scopeMetrics }) =>
    list(scopeMetrics).flatMap(({ metrics }) => list(metrics).map((metric) => readMetric(metric, resource as Json))),
  );
}

/** The answer of a collector that took a part only. */
export function partialSuccess(signal: Signal, rejected: number, errorMessage: string): Uint8Array {
  const rejectedOf = { traces: { rejectedSpans: rejected }, metrics: { rejectedDataPoints: rejected } };
  const message = { partialSuccess: { ...rejectedOf[signal], errorMessage } };
  const { response } = TYPES[signal];
  return response.encode(response.fromObject(message)).finish();
}

type Json = Readonly<Record<string, unknown>>;

/** A message type that protobufjs compiled from the protocol's own definitions. */
interface MessageType {
  decode(bytes: Uint8Array): unknown;
  toObject(message: unknown, options: object): Json;
  fromObject(object: object): unknown;
  encode(message: unknown): { finish(): Uint8Array };
}

interface Collectors {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: Readonly<Record<Signal, { readonly v1: Readonly<Record<string, MessageType>> }>>;
    };
  };
}

const { collector } = (root as unknown as Collectors).opentelemetry.proto;
const TYPES = {
  traces: typesOf("trace" as Signal, "Trace"),
  metrics: typesOf("metrics", "Metrics"),
};

function typesOf(folder: Signal, name: string): { readonly request: MessageType; readonly response: MessageType } {
  const request = collector[folder].v1[`Export${name}ServiceRequest`];
  const response = collector[folder].v1[`Export${name}ServiceResponse`];
  if (request === undefined || response === undefined) throw new Error(`no definitions of ${name}`);
  return { request, response };
}

function decode(bytes: Uint8Array, signal: Signal, encoding: Encoding): Json {
  if (encoding === "json") return JSON.parse(Buffer.from(bytes).toString("utf8")) as Json;
  const { request } = TYPES[signal];
  return request.toObject(request.decode(bytes), { longs: Number, defaults: true, arrays: true });
}

function readSpan(span: Json, resource: Json, encoding: Encoding): ReceivedSpan {
  const id = (value: unknown) => (encoding === "json" ? String(value ?? "") : hexOf(value));
  return {
    name: String(span.name),
    kind: Number(span.kind),
    traceId: id(span.traceId),
    spanId: id(span.spanId),
    parentSpanId: id(span.parentSpanId),
    traceState: String(span.traceState ?? ""),
    attributes: readAttributes(span.attributes),
    status: Number((span.status as Json | undefined)?.code ?? 0),
    links: list(span.links).map((link) => ({ traceId: id(link.traceId), spanId: id(link.spanId) })),
    resource: readAttributes(resource.attributes),
  };
}

function readMetric(metric: Json, resource: Json): ReceivedMetric {
  const kind = (["sum", "gauge", "histogram"] as const).find((known) => metric[known] != null);
  if (kind === undefined) throw new Error(`${String(metric.name)} is of no kind that is known here`);
  const data = metric[kind] as Json;
  return {
    name: String(metric.name),
    unit: String(metric.unit),
    kind,
    temporality: Number(data.aggregationTemporality ?? 0),
    isMonotonic: data.isMonotonic === true,
    points: list(data.dataPoints).map((point) => ({
      attributes: readAttributes(point.attributes),
      value: Number(point.sum ?? point.asInt ?? point.asDouble ?? 0),
      count: Number(point.count ?? 0),
      bounds: (point.explicitBounds ?? []) as readonly number[],
    })),
    resource: readAttributes(resource.attributes),
  };
}

function readAttributes(attributes: unknown): ReceivedAttributes {
  return Object.fromEntries(list(attributes).map(({ key, value }) => [key, readValue(value as Json)]));
}

function readValue({ stringValue, intValue, doubleValue, boolValue }: Json): string | number | boolean {
  if (typeof stringValue === "string") return stringValue;
  if (typeof boolValue === "boolean") return boolValue;
  return Number(intValue ?? doubleValue);
}

function list(value: unknown): readonly Json[] {
  return (value ?? []) as readonly Json[];
}

function hexOf(value: unknown): string {
  return Buffer.from((value ?? []) as Uint8Array).toString("hex");
}
