import { fileURLToPath } from "node:url";
import { pause } from "../lib/kernel/timers.ts";
import { freePort } from "../test/support/free-port.ts";
import { type Candidate, startCountersign } from "./support/candidates.ts";
import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { type RunningProcess, startProcess } from "./support/process.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const MINIMUM_RATIO = 0.85;
/** Less than any span has. */
const SPAN_BYTES = 150;
/** Milliseconds. A batch leaves five seconds after its first span at the latest, and is sent again when a server is busy. */
const LONGEST_BATCH = 20_000;

interface Collector extends RunningProcess {
  readonly url: string;
}

/** Token requests a second with telemetry and access log, beside the same server without, in the same run. */
export async function benchTelemetry(options: BenchOptions): Promise<readonly Finding[]> {
  const { warmUp, connections, folder } = options;
  const generator = await startLoadGenerator(folder);
  const collector = await startCollector();
  const candidates: Candidate[] = [];
  try {
    const telemetry = telemetryTo(collector.url);
    candidates.push(await startCountersign(folder, { name: "neither" }));
    candidates.push(await startCountersign(folder, { name: "telemetry", telemetry }));
    candidates.push(await startCountersign(folder, { name: "telemetry and access log", telemetry, accessLog: true }));
    const contenders = candidates.map((candidate) => contender(candidate, options));
    const measurements = await takeTurns(generator, contenders, ROUNDS);
    console.log(`\nTelemetry: ${connections} connections, ${ROUNDS} rounds in turns, ${whole(warmUp)} to warm up`);
    console.log(
      "  Countersign on Node as it ships; every request is a span, exported in batches, and counted in metrics.",
    );
    printMeasurements(measurements);
    await refuseSilence(collector, 2 * options.requests);
    return summarize(measurements);
  } finally {
    for (const candidate of candidates) await candidate.stop();
    await collector.stop();
    await generator.stop();
  }
}

async function startCollector(): Promise<Collector> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const program = fileURLToPath(new URL("./support/collector.ts", import.meta.url));
  return { url, ...(await startProcess(process.execPath, [program, String(port)], url)) };
}

/** Every second, so that exports of metrics are measured too; batches as they are by default. */
function telemetryTo(collector: string) {
  const exporter = (path: string) => ({ otlp: { endpoint: `${collector}${path}` } });
  return {
    metrics: { readers: [{ periodic: { interval: 1_000, exporter: exporter("/v1/metrics") } }] },
    traces: { processors: [{ batch: { exporter: exporter("/v1/traces") } }] },
  };
}

function contender(candidate: Candidate, { requests, warmUp, connections }: BenchOptions): Contender {
  const { name, pid, target } = candidate;
  const load = { target, requests: candidate.tokenRequests(requests), connections, expect: '"access_token"' };
  return { name, pid, warmUp: candidate.tokenRequests(warmUp), load };
}

/**
 * A server that loses spans, or exports nothing, does less work than it says. The last batch leaves some seconds after the
 * last request.
 */
async function refuseSilence({ url }: Collector, requests: number): Promise<void> {
  const least = requests * SPAN_BYTES;
  let received: Received = {};
  const isComplete = () => (received["/v1/traces"] ?? 0) >= least && (received["/v1/metrics"] ?? 0) > 0;
  for (const started = Date.now(); !isComplete() && Date.now() - started < LONGEST_BATCH; await pause(100)) {
    received = (await (await fetch(url)).json()) as Received;
  }
  const { "/v1/traces": traces = 0, "/v1/metrics": metrics = 0 } = received;
  if (traces < least) throw new Error(`${whole(traces)} bytes of spans came of ${requests} requests.`);
  if (metrics === 0) throw new Error("No metrics came.");
}

/** Bytes by path. */
type Received = Readonly<Record<string, number>>;

function summarize([off, traced, both]: readonly Measurement[]): readonly Finding[] {
  if (off === undefined || traced === undefined || both === undefined) throw new Error("Three servers were measured.");
  return [
    {
      what: "Token requests on Node with telemetry and access log",
      measured: `${whole(both.rate)}/s`,
      against: `with neither: ${whole(off.rate)}/s`,
      ratio: times(both.rate / off.rate),
      target: `≥ ${times(MINIMUM_RATIO)}`,
      met: both.rate / off.rate >= MINIMUM_RATIO,
    },
    cost("What telemetry adds to the server's CPU", traced, off),
    cost("What telemetry and access log add to it", both, off),
  ];
}

function cost(what: string, { serverCpu }: Measurement, off: Measurement): Finding {
  return {
    what,
    measured: `${whole(serverCpu - off.serverCpu)} µs a request`,
    against: `with neither: ${whole(off.serverCpu)} µs`,
    ratio: times(serverCpu / off.serverCpu),
  };
}
