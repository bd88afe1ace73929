import { describe, expect, test } from "vitest";
import { configurationOf, mistakes, startMistakes } from "./support.ts";

const ENDPOINT = 'endpoint: "https://collector.example/v1/x"';
const reader = (otlp: string, periodic = "") =>
  `version: 1\ntelemetry: {metrics: {readers: [{periodic: {${periodic}exporter: {otlp: {${otlp}}}}}]}}`;
const processors = (...list: string[]) => `version: 1\ntelemetry: {traces: {processors: [${list.join(", ")}]}}`;
const exporter = (otlp = ENDPOINT) => `exporter: {otlp: {${otlp}}}`;
const batch = (keys: string) => processors(`{batch: {${keys}, ${exporter()}}}`);

const OTLP = "telemetry.metrics.readers[0].periodic.exporter.otlp";
const SPANS = "telemetry.traces.processors[0]";

const BROKEN: readonly (readonly [rule: string, yaml: string, path: string, message: string])[] = [
  [
    "a reader is periodic",
    "version: 1\ntelemetry: {metrics: {readers: [{}]}}",
    "telemetry.metrics.readers[0].periodic",
    "required",
  ],
  [
    "a reader has an exporter",
    "version: 1\ntelemetry: {metrics: {readers: [{periodic: {}}]}}",
    "telemetry.metrics.readers[0].periodic.exporter",
    "required",
  ],
  ["an exporter is OTLP", processors("{simple: {exporter: {}}}"), `${SPANS}.simple.exporter.otlp`, "required"],
  ["endpoint is required", reader("timeout: 1"), `${OTLP}.endpoint`, "required"],
  [
    "endpoint is a URL",
    reader("endpoint: 'collector:4318'"),
    `${OTLP}.endpoint`,
    "accepted: an absolute http or https URL",
  ],
  ["a processor is simple or batch", processors("{}"), SPANS, "found none of simple and batch; accepted: exactly one"],
  [
    "a processor is not both",
    processors(`{simple: {${exporter()}}, batch: {${exporter()}}}`),
    SPANS,
    "found simple and batch; accepted: exactly one",
  ],
  [
    "protocol is one of two",
    reader(`${ENDPOINT}, protocol: grpc`),
    `${OTLP}.protocol`,
    'found "grpc"; accepted: http/protobuf, http/json',
  ],
  [
    "compression is one of two",
    reader(`${ENDPOINT}, compression: zstd`),
    `${OTLP}.compression`,
    "accepted: none, gzip",
  ],
  [
    "temporality is one of three",
    reader(`${ENDPOINT}, temporality: delat`),
    `${OTLP}.temporality`,
    'did you mean "delta"?',
  ],
  [
    "temporality is about metrics",
    processors(`{simple: {${exporter(`${ENDPOINT}, temporality: delta`)}}}`),
    `${SPANS}.simple.exporter.otlp.temporality`,
    "unknown key",
  ],
  [
    "timeout must be positive",
    reader(`${ENDPOINT}, timeout: 0`),
    `${OTLP}.timeout`,
    "accepted: a positive whole number of milliseconds",
  ],
  [
    "timeout is a number",
    reader(`${ENDPOINT}, timeout: 10s`),
    `${OTLP}.timeout`,
    'found "10s"; accepted: a positive whole number',
  ],
  [
    "interval must be positive",
    reader(ENDPOINT, "interval: 0, "),
    "telemetry.metrics.readers[0].periodic.interval",
    "positive",
  ],
  [
    "interval is one that a timer can wait for",
    reader(ENDPOINT, "interval: 2147483648, "),
    "telemetry.metrics.readers[0].periodic.interval",
    "at most 2147483647",
  ],
  [
    "interval is whole",
    reader(ENDPOINT, "interval: 0.5, "),
    "telemetry.metrics.readers[0].periodic.interval",
    "whole number",
  ],
  ["scheduleDelay must be positive", batch("scheduleDelay: 0"), `${SPANS}.batch.scheduleDelay`, "positive"],
  ["exportTimeout must be positive", batch("exportTimeout: -1"), `${SPANS}.batch.exportTimeout`, "positive"],
  [
    "maxQueueSize must be positive",
    batch("maxQueueSize: 0, maxExportBatchSize: 1"),
    `${SPANS}.batch.maxQueueSize`,
    "a whole number from 1",
  ],
  [
    "maxExportBatchSize must be positive",
    batch("maxExportBatchSize: 0"),
    `${SPANS}.batch.maxExportBatchSize`,
    "a whole number from 1",
  ],
  [
    "maxExportBatchSize is at most maxQueueSize",
    batch("maxQueueSize: 10, maxExportBatchSize: 11"),
    `${SPANS}.batch.maxExportBatchSize`,
    "found the number 11; accepted: at most maxQueueSize, the number 10",
  ],
  [
    "maxExportBatchSize is at most the default of maxQueueSize",
    batch("maxExportBatchSize: 2049"),
    `${SPANS}.batch.maxExportBatchSize`,
    "accepted: at most maxQueueSize, 2048 by default",
  ],
  [
    "maxQueueSize is at least the default of maxExportBatchSize",
    batch("maxQueueSize: 511"),
    `${SPANS}.batch.maxQueueSize`,
    "accepted: at least maxExportBatchSize, 512 by default",
  ],
  [
    "ratio is at most 1",
    "version: 1\ntelemetry: {traces: {sampler: {ratio: 1.1}}}",
    "telemetry.traces.sampler.ratio",
    "accepted: a number from 0 to 1",
  ],
  [
    "clientCertificate needs clientKey",
    reader(`${ENDPOINT}, clientCertificate: a`),
    `${OTLP}.clientKey`,
    "required with clientCertificate",
  ],
  [
    "clientKey needs clientCertificate",
    reader(`${ENDPOINT}, clientKey: a`),
    `${OTLP}.clientCertificate`,
    "required with clientKey",
  ],
  [
    "insecure looks at no certificate",
    reader(`${ENDPOINT}, insecure: true, certificate: a`),
    `${OTLP}.insecure`,
    "accepted: one of the two",
  ],
  [
    "a header has a name",
    reader(`${ENDPOINT}, headers: {"a b": c}`),
    `${OTLP}.headers.a b`,
    "accepted: an HTTP header name",
  ],
  [
    "headers are a mapping",
    reader(`${ENDPOINT}, headers: [a]`),
    `${OTLP}.headers`,
    "found a list; accepted: a mapping of HTTP header names to text",
  ],
];

describe("telemetry", () => {
  test.each(BROKEN)("%s", async (_, yaml, path, message) => {
    const found = await mistakes(yaml);
    expect(found).toEqual([expect.stringContaining(` ${path}: `)]);
    expect(found[0]).toContain(message);
  });

  test("a document without it measures nothing", async () => {
    expect(await configurationOf("version: 1")).not.toHaveProperty("telemetry");
  });

  test("what a document leaves out is what OpenTelemetry has for it", async () => {
    const text = `version: 1
telemetry:
  metrics: {readers: [{periodic: {${exporter()}}}]}
  traces: {processors: [{simple: {${exporter()}}}, {batch: {${exporter()}}}]}
`;
    const defaults = {
      protocol: "http/protobuf",
      endpoint: "https://collector.example/v1/x",
      insecure: false,
      timeout: 10_000,
      headers: {},
      compression: "none",
    };
    const limits = { scheduleDelay: 5_000, maxQueueSize: 2_048, maxExportBatchSize: 512, exportTimeout: 30_000 };
    expect((await configurationOf(text)).telemetry).toEqual({
      readers: [{ interval: 60_000, exporter: defaults, temporality: "cumulative" }],
      processors: [
        { type: "simple", exporter: defaults },
        { type: "batch", exporter: defaults, ...limits },
      ],
      samplerRatio: 1,
    });
  });

  test("every key is taken from the document, and placeholders with their types", async () => {
    const otlp = `protocol: http/json, endpoint: "{{ env.COLLECTOR }}", timeout: "{{ env.TIMEOUT }}", headers: {authorization: <a.token>},
      compression: gzip, certificate: ca, clientCertificate: crt, clientKey: key`;
    const exported = {
      protocol: "http/json",
      endpoint: "http://collector:4318/v1/metrics",
      insecure: false,
      timeout: 500,
      headers: { authorization: "Bearer hunter2" },
      compression: "gzip",
      certificate: "ca",
      clientCertificate: "crt",
      clientKey: "key",
    };
    const input = {
      environment: { COLLECTOR: "http://collector:4318/v1/metrics", TIMEOUT: "500" },
      secrets: { S_A_TOKEN: "Bearer hunter2" },
    };
    const read = await configurationOf(reader(`${otlp}, temporality: lowmemory`, "interval: 5000, "), input);
    expect(read.telemetry?.readers).toEqual([{ interval: 5_000, exporter: exported, temporality: "lowmemory" }]);
    const limits = "scheduleDelay: 1, maxQueueSize: 2, maxExportBatchSize: 2, exportTimeout: 3";
    const batched = `{batch: {${limits}, ${exporter(otlp)}}}`;
    const traces = `version: 1\ntelemetry: {traces: {processors: [${batched}], sampler: {ratio: 0.25}}}`;
    const traced = await configurationOf(traces, input);
    expect(traced.telemetry).toEqual({
      readers: [],
      processors: [
        {
          type: "batch",
          exporter: exported,
          scheduleDelay: 1,
          maxQueueSize: 2,
          maxExportBatchSize: 2,
          exportTimeout: 3,
        },
      ],
      samplerRatio: 0.25,
    });
  });

  test.each([
    "headers: hunter2",
    "headers: {authorization: [hunter2]}",
    'headers: {authorization: "hunter2\\nx"}',
    'headers: {"hunter 2": x}',
  ])("10. what stands in %s is not shown", async (headers) => {
    const found = await mistakes(reader(`${ENDPOINT}, ${headers}`));
    expect(found).toHaveLength(1);
    expect(found.join()).not.toContain("hunter2");
  });
});

describe("telemetry on the edges", () => {
  const at = (runtime: "workers" | "lambda", otlp: string) =>
    startMistakes(`${reader(`${ENDPOINT}, ${otlp}`)}\nhttp: {publicURL: "https://a.example"}`, { runtime });

  test("Workers refuse connections that nothing verifies", async () => {
    expect(await at("workers", "insecure: true")).toEqual([
      expect.stringContaining(`${OTLP}.insecure: connections on Workers are always verified; accepted: false`),
    ]);
    expect(await at("workers", "insecure: false")).toEqual([]);
  });

  test("Workers refuse certificates that come from files", async () => {
    expect(await at("workers", "certificate: a, clientCertificate: b, clientKey: c")).toEqual(
      ["certificate", "clientCertificate", "clientKey"].map((key) =>
        expect.stringContaining(`${OTLP}.${key}: connections on Workers have no TLS settings of their own`),
      ),
    );
  });

  test("a processor's exporter is refused alike", async () => {
    const insecure = `{batch: {${exporter(`${ENDPOINT}, insecure: true`)}}}`;
    const text = `${processors(insecure)}\nhttp: {publicURL: "https://a.example"}`;
    expect(await startMistakes(text, { runtime: "workers" })).toEqual([
      expect.stringContaining(`${SPANS}.batch.exporter.otlp.insecure`),
    ]);
  });

  test("Lambda has both", async () => {
    expect(await at("lambda", "certificate: a, clientCertificate: b, clientKey: c")).toEqual([]);
    expect(await at("lambda", "insecure: true")).toEqual([]);
  });
});
