import { afterEach, beforeEach, expect, test } from "vitest";
import type { TelemetryConfiguration } from "../../lib/telemetry/configuration.ts";
import { eventually } from "../support/eventually.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { batch, exporter, reader, type StartedTelemetry, simple, startedTelemetry } from "./started.ts";

let collector: Receiver;
let traces: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  collector = await startReceiver();
  stops.push(collector.stop);
  traces = `${collector.url}/v1/traces`;
});

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

test("a batch leaves when it is full, and holds no more than it may", async () => {
  const it = await started({ processors: [batch(traces, { maxExportBatchSize: 3 })] });
  await requests(it, 2);
  await requests(it, 1);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 3,
  );
  await requests(it, 7);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 9,
  );
  expect(sizes()).toEqual([3, 3, 3]);
  await it.flush();
  expect(sizes()).toEqual([3, 3, 3, 1]);
});

test("a batch that does not fill leaves after `scheduleDelay`", async () => {
  const it = await started({ processors: [batch(traces, { scheduleDelay: 50 })] });
  await requests(it, 2);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 2,
  );
  await requests(it, 1);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 3,
  );
});

test("more than `maxQueueSize` spans do not wait: the rest is lost, counted and told once", async () => {
  collector.answerWith(undefined);
  const metrics = await startReceiver();
  stops.push(metrics.stop);
  const limits = { maxQueueSize: 4, maxExportBatchSize: 2 };
  const it = await started({
    processors: [batch(traces, limits)],
    readers: [reader(`${metrics.url}/v1/metrics`, { interval: 50 })],
  });
  await requests(it, 2);
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  // Two are on their way, four wait.
  await requests(it, 10);
  const lost = { "error.type": "queue_full", "otel.component.type": "batching_span_processor" };
  const lostSpans = async () =>
    metrics.metrics().findLast(({ name }) => name === "otel.sdk.processor.span.processed")?.points[0];
  expect(await eventually(lostSpans, (point) => point !== undefined)).toMatchObject({ value: 6, attributes: lost });
  expect(told(it, "telemetry is lost")).toHaveLength(1);

  collector.answerWith(() => ({ status: 200 }));
  await eventually(
    async () => collector.spans().length,
    (count) => count === 6,
  );
  await requests(it, 2);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 8,
  );
  expect(told(it, "telemetry is delivered again")).toMatchObject([{ signal: "spans", lost: 6 }]);
});

test("an export that takes longer than `exportTimeout` is given up, however long its exporter may wait", async () => {
  collector.answerWith(undefined);
  const slow = exporter(traces, { timeout: 3_600_000 });
  const it = await started({ processors: [batch(traces, { exporter: slow, exportTimeout: 100, scheduleDelay: 1 })] });
  await requests(it, 1);
  await eventually(
    async () => told(it, "telemetry is lost").length,
    (count) => count === 1,
  );
  collector.answerWith(() => ({ status: 200 }));
  await requests(it, 1);
  await eventually(
    async () => collector.spans().length,
    (count) => count === 1,
  );
});

test("a simple processor exports a span at once, and in a busy server several together", async () => {
  collector.answerWith(undefined);
  const it = await started({ processors: [simple(traces)] });
  await requests(it, 1);
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  await requests(it, 5);
  collector.answerWith(() => ({ status: 200 }));
  await eventually(
    async () => collector.spans().length,
    (count) => count === 6,
  );
  expect(sizes()).toEqual([1, 5]);
});

test("closing delivers what waits, and gives up after its time on a collector that does not answer", async () => {
  collector.answerWith(undefined);
  const slow = exporter(traces, { timeout: 3_600_000 });
  const it = await started({ processors: [batch(traces, { exporter: slow, exportTimeout: 3_600_000 })] });
  await requests(it, 3);
  await it.flush(100);
  expect(collector.exports).toHaveLength(1);
  expect(told(it, "telemetry is lost")).toHaveLength(1);
});

function sizes(): readonly number[] {
  return collector.exports.map(({ bytes }) => Buffer.from(bytes).toString("latin1").split("GET /status").length - 1);
}

async function requests(it: StartedTelemetry, count: number): Promise<void> {
  for (let i = 0; i < count; i++) expect(await it.request("/status")).toBe(200);
}

function told({ logs }: StartedTelemetry, message: string) {
  return logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}

async function started(telemetry: Partial<TelemetryConfiguration>): Promise<StartedTelemetry> {
  const it = await startedTelemetry(telemetry);
  stops.push(it.close);
  return it;
}
