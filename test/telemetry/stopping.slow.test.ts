import { afterEach, beforeEach, expect, test } from "vitest";
import { behaviourConfiguration } from "../behaviour/configuration.ts";
import { node } from "../runtimes/node.ts";
import { eventually } from "../support/eventually.ts";
import type { RunningRegions } from "../support/runtime.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** Neither a batch nor metrics leave before the end. */
const TELEMETRY = `
telemetry:
  metrics:
    readers:
      - periodic:
          interval: 3600000
          exporter:
            otlp:
              endpoint: "{{ env.COLLECTOR_URL }}/v1/metrics"
  traces:
    processors:
      - batch:
          scheduleDelay: 3600000
          exporter:
            otlp:
              endpoint: "{{ env.COLLECTOR_URL }}/v1/traces"
`;

let collector: Receiver;

beforeEach(async () => {
  collector = await startReceiver();
});

afterEach(() => collector.stop());

test("a server that stops delivers what it has, and ends with 0", async () => {
  const regions = await start();
  await fetch(`${regions.us.url}/oauth2/jwks`);
  expect(collector.exports).toEqual([]);
  await regions.stop();
  expect(collector.spans().map(({ name }) => name)).toContain("GET /oauth2/jwks");
  expect(collector.metrics().map(({ name }) => name)).toContain("http.server.request.duration");
});

test("a collector that does not answer keeps no server from stopping, which ends with 0", async () => {
  const regions = await start();
  await fetch(`${regions.us.url}/oauth2/jwks`);
  collector.answerWith(undefined);
  const stopped = regions.stop();
  await eventually(
    async () => collector.exports.length,
    (count) => count >= 2,
  );
  await stopped;
  const lines = regions.us.logs().map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === "telemetry is lost").length).toBeGreaterThan(0);
});

function start(): Promise<RunningRegions> {
  return node.start({
    configuration: behaviourConfiguration + TELEMETRY,
    variables: { UPSTREAM_URL: "http://127.0.0.1:9", COLLECTOR_URL: collector.url },
  });
}
