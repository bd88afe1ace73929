import { afterEach, beforeEach, expect, test } from "vitest";
import { type Application, application } from "../../functions/routes.ts";
import { measuredAtEdge } from "../../infra/edge/telemetry.ts";
import type { TelemetryConfiguration } from "../../lib/telemetry/configuration.ts";
import { eventually } from "../support/eventually.ts";
import { type InProcess, ISSUER, startInProcess } from "../support/in-process.ts";
import { type Receiver, startReceiver } from "./receiver.ts";
import { batch, exporter, reader, simple } from "./started.ts";

/** A request that was answered, and what its runtime still waits for. */
interface Answered {
  readonly status: number;
  readonly background: Promise<unknown>;
}

let collector: Receiver;
let product: InProcess;

beforeEach(async () => {
  collector = await startReceiver();
});

afterEach(async () => {
  await collector.stop();
  await product.close();
});

test("a request is answered before the collector has its span, and its runtime waits for that", async () => {
  const send = await started({ processors: [simple(`${collector.url}/v1/traces`)] });
  collector.answerWith(undefined);
  let isDelivered = false;
  const { status, background } = await send("/status");
  const delivered = background.then(() => {
    isDelivered = true;
  });
  expect(status).toBe(200);
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  expect(isDelivered).toBe(false);
  collector.answerWith(() => ({ status: 200 }));
  await delivered;
  expect(collector.spans()).toMatchObject([{ name: "GET /status" }]);
});

test("no request waits for what another one delivers", async () => {
  const send = await started({ processors: [simple(`${collector.url}/v1/traces`)] });
  collector.answerWith(undefined);
  const first = await send("/status");
  await eventually(
    async () => collector.exports.length,
    (count) => count === 1,
  );
  collector.answerWith(({ bytes }) => (bytes === collector.exports[0]?.bytes ? undefined : { status: 200 }));
  await (await send("/oauth2/jwks")).background;
  expect(collector.spans()).toMatchObject([{ name: "GET /oauth2/jwks" }]);
  collector.answerWith(() => ({ status: 200 }));
  await first.background;
});

test("a batch leaves with the request as well, no more than it may hold at a time", async () => {
  const send = await started({ processors: [batch(`${collector.url}/v1/traces`, { maxExportBatchSize: 2 })] });
  const answers = await Promise.all(["/status", "/status", "/status"].map(send));
  await Promise.all(answers.map(({ background }) => background));
  expect(collector.spans()).toHaveLength(3);
  expect(collector.exports.length).toBeGreaterThan(1);
});

test("metrics leave after the first request, and then at most once an interval", async () => {
  const [often, rarely] = [`${collector.url}/often`, `${collector.url}/rarely`];
  const send = await started({
    readers: [
      reader(often, { exporter: exporter(often), interval: 1 }),
      reader(rarely, { exporter: exporter(rarely), interval: 3_600_000 }),
    ],
  });
  for (const path of ["/status", "/status", "/status"]) {
    await (await send(path)).background;
    const sent = Date.now();
    await eventually(
      async () => Date.now(),
      (now) => now > sent + 1,
    );
  }
  const paths = collector.exports.map(({ path }) => path);
  expect(paths.filter((path) => path === "/rarely")).toHaveLength(1);
  expect(paths.filter((path) => path === "/often")).toHaveLength(3);
});

test("where instances end without a word, sums count from export to export, whatever is configured", async () => {
  const readers = [reader(`${collector.url}/v1/metrics`, { interval: 1, temporality: "cumulative" })];
  const send = await started({ readers }, { onlyDeltas: true });
  await (await send("/status")).background;
  const [duration] = collector.metrics().filter(({ name }) => name === "http.server.request.duration");
  expect(duration?.temporality).toBe(1);
});

async function started(
  telemetry: Partial<TelemetryConfiguration>,
  { onlyDeltas = false } = {},
): Promise<(path: string) => Promise<Answered>> {
  product = await startInProcess({
    configuration: { telemetry: { readers: [], processors: [], samplerRatio: 1, ...telemetry } },
  });
  const options = { soid: "test", openFetch: () => fetch, onlyDeltas };
  return sending(application(await measuredAtEdge(product.dependencies, options)));
}

function sending(answer: Application): (path: string) => Promise<Answered> {
  return async (path) => {
    const work: Promise<unknown>[] = [];
    const host = { target: path, remoteAddress: undefined, waitUntil: (one: Promise<unknown>) => void work.push(one) };
    const response = await answer(new Request(ISSUER + path), host);
    await response.arrayBuffer();
    return { status: response.status, background: Promise.all(work) };
  };
}
