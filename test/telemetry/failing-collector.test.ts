import { afterEach, beforeEach, expect, test } from "vitest";
import type { OtlpExporterConfiguration } from "../../lib/telemetry/configuration.ts";
import { eventually } from "../support/eventually.ts";
import { freePort } from "../support/free-port.ts";
import { partialSuccess } from "./otlp.ts";
import { type Answer, type Receiver, startReceiver } from "./receiver.ts";
import { reader, type StartedTelemetry, simple, startedTelemetry } from "./started.ts";

let collector: Receiver;
let it: StartedTelemetry;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  collector = await startReceiver();
  stops.push(collector.stop);
});

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

test("a collector that cannot be reached costs no request, and is told once", async () => {
  await exporting({
    endpoint: `http://user:pass-word@127.0.0.1:${await freePort()}/v1/traces?key=hidden`,
    timeout: 100,
  });
  for (let i = 1; i <= 3; i++) {
    expect(await it.request("/status")).toBe(200);
    await eventually(
      async () => failures(),
      (count) => count === i,
    );
  }
  expect(told("telemetry is lost")).toMatchObject([
    { level: "warn", signal: "spans", cause: expect.stringMatching(/could not be reached|in time/) },
  ]);
  expect(it.logs.join("\n")).not.toMatch(/pass-word|hidden/);
});

test("when a collector takes telemetry again, an entry says so and how much was lost", async () => {
  await exporting();
  collector.answerWith(() => ({ status: 400 }));
  for (let i = 1; i <= 2; i++) {
    await it.request("/status");
    await eventually(
      async () => failures(),
      (count) => count === i,
    );
  }
  collector.answerWith(() => ({ status: 200 }));
  await it.request("/status");
  await eventually(
    async () => told("telemetry is delivered again").length,
    (count) => count === 1,
  );
  expect(told("telemetry is lost")).toHaveLength(1);
  expect(told("telemetry is delivered again")).toMatchObject([{ level: "info", signal: "spans", lost: 2 }]);
  collector.answerWith(() => ({ status: 400 }));
  await it.request("/status");
  await eventually(
    async () => told("telemetry is lost").length,
    (count) => count === 2,
  );
});

test.each([400, 401, 404, 413, 500, 501, 302])("%d is final: the same spans are not sent again", async (status) => {
  await exporting();
  collector.answerWith(() => ({ status, headers: { "retry-after": "0", location: `${collector.url}/elsewhere` } }));
  await it.request("/status");
  await eventually(
    async () => failures(),
    (count) => count === 1,
  );
  expect(collector.exports).toHaveLength(1);
  expect(told("telemetry is lost")).toMatchObject([{ cause: `the collector answered ${status}` }]);
});

test.each([429, 502, 503, 504])("%d is tried again, with the same spans", async (status) => {
  await exporting();
  answerInTurn({ status, headers: { "retry-after": "0" } }, { status }, { status: 200 });
  await it.request("/status");
  await eventually(
    async () => collector.spans().length,
    (count) => count === 1,
  );
  expect(new Set(collector.exports.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).size).toBe(1);
  expect(collector.exports).toHaveLength(3);
  expect(told("telemetry is lost")).toEqual([]);
});

test("a collector that is down for a moment gets the spans when it is back", async () => {
  const port = await freePort();
  await exporting({ endpoint: `http://127.0.0.1:${port}/v1/traces`, timeout: 60_000 });
  await it.request("/status");
  const late = await startReceiver(undefined, port);
  stops.push(late.stop);
  await late.span(({ name }) => name === "GET /status");
  expect(told("telemetry is lost")).toEqual([]);
});

test.each(["3600", new Date(Date.now() + 3_600_000).toUTCString()])(
  "a wait that is longer than the export may take ends it: Retry-After %s",
  async (retryAfter) => {
    await exporting({ timeout: 600_000 });
    collector.answerWith(() => ({ status: 503, headers: { "retry-after": retryAfter } }));
    await it.request("/status");
    await eventually(
      async () => failures(),
      (count) => count === 1,
    );
    expect(collector.exports).toHaveLength(1);
  },
);

test("an export ends after `timeout`, and the next one is made", async () => {
  await exporting({ timeout: 100 });
  collector.answerWith(undefined);
  await it.request("/status");
  await eventually(
    async () => failures(),
    (count) => count === 1,
  );
  expect(told("telemetry is lost")).toMatchObject([{ cause: "the collector did not answer in time" }]);
  collector.answerWith(() => ({ status: 200 }));
  await it.request("/status");
  await eventually(
    async () => told("telemetry is delivered again").length,
    (count) => count === 1,
  );
});

test("requests are answered while a collector is not", async () => {
  await exporting({ timeout: 600_000 });
  collector.answerWith(undefined);
  await it.request("/status");
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  for (let i = 0; i < 50; i++) expect(await it.request("/status")).toBe(200);
  expect(collector.spans()).toEqual([]);
  collector.answerWith(() => ({ status: 200 }));
  await eventually(
    async () => collector.spans().length,
    (count) => count === 51,
  );
});

test("what a collector takes but for a part is told with its reason, and the part counted as lost", async () => {
  await exporting();
  collector.answerWith(({ path }) => {
    const signal = path === "/v1/traces" ? "traces" : "metrics";
    return { status: 200, body: partialSuccess(signal, 1, `too long: ${"x".repeat(1_000)}`) };
  });
  await it.request("/status");
  await eventually(
    async () => told(REJECTED).length,
    (count) => count === 1,
  );
  await it.request("/status");
  await it.flush();
  const [spans, metrics] = told(REJECTED);
  expect(spans).toMatchObject({
    level: "warn",
    signal: "spans",
    rejected: 1,
    detail: expect.stringMatching(/^too long/),
  });
  expect(spans.detail.length).toBeLessThan(300);
  expect(metrics).toMatchObject({ signal: "metrics", rejected: 1 });
  expect(told(REJECTED)).toHaveLength(2);
  expect(lostOf("otel.sdk.exporter.span.exported")).toMatchObject({ "error.type": "rejected" });
});

test("a warning of a collector that took everything is told, and nothing is counted as lost", async () => {
  await exporting();
  collector.answerWith(() => ({ status: 200, body: partialSuccess("traces", 0, "deprecated attribute") }));
  await it.request("/status");
  await eventually(
    async () => told(REJECTED).length,
    (count) => count === 1,
  );
  expect(told(REJECTED)).toMatchObject([{ rejected: 0, detail: "deprecated attribute" }]);
  await it.flush();
  expect(lostOf("otel.sdk.exporter.span.exported")).toBeUndefined();
});

const ODD: readonly (readonly [what: string, answer: Answer])[] = [
  ["of ten megabytes", { status: 200, body: new Uint8Array(10 * 1024 * 1024) }],
  ["that is no message", { status: 200, body: "<html>hello</html>" }],
  ["of null", { status: 200, headers: { "content-type": "application/json" }, body: "null" }],
  ["that promises more than it sends", { status: 200, headers: { "content-length": "100" }, body: "short" }],
];

test.each(ODD)("a 200 with an answer %s counts as delivered", async (_, answer) => {
  await exporting({ timeout: 1_000 });
  collector.answerWith(() => answer);
  await it.request("/status");
  const exported = async () => metricOf("otel.sdk.exporter.span.exported")?.points[0];
  const point = await eventually(exported, (found) => found !== undefined);
  expect(point).toMatchObject({ value: 1, attributes: { "otel.component.name": "otlp_http_span_exporter/0" } });
  expect(lostOf("otel.sdk.exporter.span.exported")).toBeUndefined();
});

const REJECTED = "the collector rejected a part of the telemetry";
const metricsCollectors = new WeakMap<StartedTelemetry, Receiver>();

/** Spans go to the collector of the test, metrics to it and to another one that never fails. */
async function exporting(settings: Partial<OtlpExporterConfiguration> = {}): Promise<void> {
  const reliable = await startReceiver();
  stops.push(reliable.stop);
  it = await startedTelemetry({
    processors: [simple(`${collector.url}/v1/traces`, settings)],
    readers: [reader(`${reliable.url}/v1/metrics`, { interval: 50 }), reader(`${collector.url}/v1/metrics`)],
  });
  stops.push(it.close);
  metricsCollectors.set(it, reliable);
}

function answerInTurn(...answers: readonly Answer[]): void {
  const left = [...answers];
  collector.answerWith(() => left.shift() ?? { status: 200 });
}

function metricOf(wanted: string) {
  return metricsCollectors
    .get(it)
    ?.metrics()
    .findLast(({ name }) => name === wanted);
}

/** The attributes of what was lost. */
function lostOf(metric: string) {
  return metricOf(metric)?.points.find(({ attributes }) => attributes["error.type"] !== undefined)?.attributes;
}

/** Spans whose export failed, as the metrics have it. */
function failures(): number {
  const points = metricOf("otel.sdk.exporter.span.exported")?.points ?? [];
  return points.filter(({ attributes }) => attributes["error.type"]).reduce((sum, { value }) => sum + value, 0);
}

function told(message: string) {
  return it.logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}
