import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OutboundError } from "../../lib/net/outbound.ts";
import type { TelemetryConfiguration } from "../../lib/telemetry/configuration.ts";
import { createAuthority } from "../support/certificates.ts";
import { eventually } from "../support/eventually.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { batch, exporter, reader, type StartedTelemetry, simple, startedTelemetry } from "./started.ts";

let collector: Receiver;
let traces: string;
let metrics: string;
const stops: (() => Promise<void>)[] = [];

beforeEach(async () => {
  collector = await startReceiver();
  stops.push(collector.stop);
  traces = `${collector.url}/v1/traces`;
  metrics = `${collector.url}/v1/metrics`;
});

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

test.each(["http/protobuf", "http/json"] as const)("with %s a collector reads spans and metrics", async (protocol) => {
  const it = await started({
    processors: [simple(traces, { protocol })],
    readers: [reader(metrics, named({ protocol }))],
  });
  await it.request("/status");
  await it.flush();
  const [span] = collector.spans();
  expect(span).toMatchObject({ name: "GET /status", kind: 2, status: 0 });
  expect(span?.resource).toMatchObject({ "service.name": "countersign", "service.instance.id": "test" });
  const duration = collector.metrics().find(({ name }) => name === "http.server.request.duration");
  expect(duration?.points).toMatchObject([{ count: 1, attributes: { "http.route": "/status" } }]);
  const type = { "http/protobuf": "application/x-protobuf", "http/json": "application/json" }[protocol];
  expect(collector.exports.map(({ headers }) => headers["content-type"])).toEqual([type, type]);
});

test("the endpoint is used as it is, path and query included", async () => {
  const it = await started({
    processors: [simple(`${collector.url}/otlp/here?tenant=a%20b`)],
    readers: [reader(`${collector.url}/`)],
  });
  await it.request("/status");
  await it.flush();
  expect(collector.exports.map(({ path }) => path).sort()).toEqual(["/", "/otlp/here?tenant=a%20b"]);
});

test("configured headers go with every export; those that say what the body is stay ours", async () => {
  const headers = { Authorization: "Bearer for-the-collector", "Content-Type": "text/plain" };
  const it = await started({ processors: [simple(traces, { headers })] });
  await it.request("/status");
  await it.flush();
  expect(collector.exports[0]?.headers).toMatchObject({
    authorization: "Bearer for-the-collector",
    "content-type": "application/x-protobuf",
    "user-agent": "Countersign/0.1.0",
  });
});

test("a credential that changes is used from the next export on", async () => {
  const processors = (authorization: string) => [simple(traces, { headers: { authorization } })];
  const it = await started({ processors: processors("first") });
  await it.request("/status");
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  it.reconfigure({ readers: [], processors: processors("second"), samplerRatio: 1 });
  await it.request("/status");
  await it.flush();
  expect(collector.exports.map(({ headers }) => headers.authorization)).toEqual(["first", "second"]);
});

test("gzip compresses what is exported, none leaves it alone", async () => {
  const it = await started({ processors: [simple(traces, { compression: "gzip" }), simple(traces)] });
  await it.request("/status");
  await it.flush();
  expect(collector.exports.map(({ headers }) => headers["content-encoding"]).sort()).toEqual(["gzip", undefined]);
  expect(collector.spans()).toHaveLength(2);
});

test("every reader and every processor exports by itself", async () => {
  const other = await startReceiver();
  stops.push(other.stop);
  const it = await started({
    processors: [simple(traces), batch(`${other.url}/v1/traces`)],
    readers: [reader(metrics, { interval: 50 }), reader(`${other.url}/v1/metrics`, { temporality: "delta" })],
  });
  await it.request("/status");
  await eventually(
    async () => collector.exports.filter(({ path }) => path === "/v1/metrics").length,
    (count) => count >= 3,
  );
  expect(other.exports).toEqual([]);
  await it.flush();
  expect(other.spans()).toEqual(collector.spans());
  expect(other.metrics().map(({ name }) => name)).toContain("http.server.request.duration");
});

test("a collector behind TLS is trusted by `certificate`, and knows us by `clientCertificate` and `clientKey`", async () => {
  const { files, receiver } = await collectorBehindTls();
  const it = await started({ processors: [simple(`${receiver.url}/v1/traces`, files)] });
  await it.request("/status");
  await it.flush();
  expect(receiver.spans()).toHaveLength(1);
});

test("without its `certificate` a private authority is not trusted, unless `insecure` says so", async () => {
  const { files, receiver } = await collectorBehindTls();
  const { certificate: _, ...client } = files;
  const strict = simple(`${receiver.url}/v1/traces`, { ...client, timeout: 200 });
  const lax = simple(`${receiver.url}/v1/traces`, { ...client, insecure: true });
  const it = await started({ processors: [strict, lax] });
  await it.request("/status");
  await it.flush();
  expect(receiver.spans()).toHaveLength(1);
  expect(entries(it, "telemetry is lost")).toHaveLength(1);
});

test.each(["certificate", "clientCertificate", "clientKey"])(
  "a %s that cannot be read keeps the instance from starting, and the message names key and file",
  async (key) => {
    const { files } = await collectorBehindTls();
    const missing = join(tmpdir(), "no-such-folder", "file.pem");
    const starting = started({ processors: [simple(traces, { ...files, [key]: missing })] });
    await expect(starting).rejects.toThrow(OutboundError);
    await expect(starting).rejects.toThrow(`exporter to ${traces}: ${key}: ${missing} cannot be read`);
  },
);

test("the sampler's ratio decides for traces that begin here, and their callers for all others", async () => {
  const it = await started({ processors: [batch(traces)], samplerRatio: 0 });
  for (let i = 0; i < 20; i++) await it.request("/status");
  await it.request("/status", { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01` });
  await it.flush();
  expect(collector.spans().map(({ traceId }) => traceId)).toEqual(["a".repeat(32)]);
});

test("with a ratio between 0 and 1 about that share of the traces is recorded", async () => {
  const it = await started({ processors: [batch(traces)], samplerRatio: 0.5 });
  for (let i = 0; i < 400; i++) await it.request("/status");
  await it.flush();
  const recorded = collector.spans().length;
  // Ten standard deviations on either side.
  expect(recorded).toBeGreaterThan(100);
  expect(recorded).toBeLessThan(300);
});

test.each([
  ["cumulative", 2, 2],
  ["delta", 1, 1],
  ["lowmemory", 1, 2],
] as const)(
  "with %s temporality sums count from the start or from the last export",
  async (temporality, recorded, observed) => {
    const it = await started({ readers: [reader(metrics, { interval: 50, temporality })] });
    const counts = () =>
      collector
        .metrics()
        .filter(({ name }) => name === "http.server.request.duration")
        .map(({ points }) => points[0]?.count ?? 0);
    const total = () => (recorded === 1 ? counts().reduce((sum, count) => sum + count, 0) : (counts().at(-1) ?? 0));
    for (const requests of [1, 2, 3]) {
      await it.request("/status");
      await eventually(
        async () => total(),
        (count) => count === requests,
      );
    }
    expect(Math.max(...counts())).toBe(recorded === 1 ? 1 : 3);
    const metric = (wanted: string) => collector.metrics().findLast(({ name }) => name === wanted);
    expect(metric("http.server.request.duration")?.temporality).toBe(recorded);
    expect(metric("nodejs.eventloop.time")).toMatchObject({ temporality: observed, isMonotonic: true, unit: "s" });
    // What goes up and down is worth nothing without its start.
    expect(metric("http.server.active_requests")).toMatchObject({ temporality: 2, isMonotonic: false });
  },
);

test("memory and running requests are measured", async () => {
  const it = await started({ readers: [reader(metrics)] });
  await it.request("/status");
  await it.flush();
  const of = (wanted: string) => collector.metrics().find(({ name }) => name === wanted)?.points;
  expect(of("process.memory.usage")?.[0]?.value).toBeGreaterThan(1_000_000);
  expect(of("http.server.active_requests")).toMatchObject([
    { value: 0, attributes: { "http.request.method": "GET", "url.scheme": "https" } },
  ]);
});

test("methods that nobody knows are counted as one", async () => {
  const it = await started({ readers: [reader(metrics)] });
  for (const method of ["BREW", "WHEN", "GET"]) await it.send("/status", { method });
  await it.flush();
  const [duration] = collector.metrics().filter(({ name }) => name === "http.server.request.duration");
  const methods = duration?.points.map(({ attributes }) => attributes["http.request.method"]);
  expect(new Set(methods)).toEqual(new Set(["_OTHER", "GET"]));
});

async function started(telemetry: Partial<TelemetryConfiguration>): Promise<StartedTelemetry> {
  const it = await startedTelemetry(telemetry);
  stops.push(it.close);
  return it;
}

function named(settings: Parameters<typeof exporter>[1]) {
  return { exporter: exporter(metrics, settings) };
}

/** Asks for a client certificate of the authority that its own is from. */
async function collectorBehindTls() {
  const folder = mkdtempSync(join(tmpdir(), "countersign-collector-"));
  stops.push(async () => rmSync(folder, { recursive: true }));
  const authority = createAuthority();
  const [server, client] = [authority.issue(), authority.issue({ names: ["countersign"] })];
  const receiver = await startReceiver({ ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
  stops.push(receiver.stop);
  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const files = {
    certificate: put("ca.pem", authority.cert),
    clientCertificate: put("client.pem", client.cert),
    clientKey: put("client.key", client.key),
  };
  return { files, receiver };
}

function entries({ logs }: StartedTelemetry, message: string) {
  return logs.map((line) => JSON.parse(line)).filter(({ msg }) => msg === message);
}
