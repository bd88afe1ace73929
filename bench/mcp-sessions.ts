import { fork } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { setTimeout as passed } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { collectedMemory } from "./support/collected-memory.ts";
import { beginSession, type Caller, caller, callerAddress, forEach } from "./support/crowd.ts";
import type { Finding } from "./support/finding.ts";
import { type McpServer, startMcpServer } from "./support/mcp-server.ts";
import type { BenchOptions } from "./support/options.ts";
import { mebibytes } from "./support/sizes.ts";
import { milliseconds, percentile, times, whole } from "./support/statistics.ts";

/** Of the API clients of the benchmark that has many. */
const SESSIONS_SHARE = 1 / 100;
const SESSIONS_LIMIT = 10_000_000;
/** Sessions that one address may begin at once. */
const A_CALLER = 50;
const STREAMS = 2_000;
const FLOOD_RATE = 1_000;
/** Of the streams' time, which is the longest. */
const FLOOD_SHARE = 1 / 6;
/** The address that the flood comes from. */
const RUDE = "127.2.0.2";

/** What sessions cost that nobody uses, streams that nobody writes to, and a caller who begins sessions without end. */
export async function benchMcpSessions({ folder, clients, seconds }: BenchOptions): Promise<readonly Finding[]> {
  const server = await startMcpServer(folder, { isInspected: true });
  try {
    const idle = await idleSessions(server, Math.ceil((clients * SESSIONS_SHARE) / A_CALLER) * A_CALLER);
    const flood = await flooded(server, seconds * FLOOD_SHARE);
    const streams = await openStreams(server, seconds);
    return [...idle, ...flood, ...streams];
  } finally {
    await server.stop();
  }
}

type Server = Pick<McpServer, "pid" | "port" | "inspectorPort">;

/** As many sessions before warm everything up; what the later ones add is measured. */
async function idleSessions({ pid, port, inspectorPort }: Server, sessions: number): Promise<readonly Finding[]> {
  await begin(port, 0, sessions);
  const before = await collectedMemory(pid, inspectorPort);
  await begin(port, sessions, sessions);
  const cost = (await collectedMemory(pid, inspectorPort)) - before;
  return [
    {
      what: `Memory of ${whole(sessions)} idle MCP sessions on Node`,
      measured: mebibytes(cost),
      against: `${mebibytes(before)} before`,
      target: `≤ ${mebibytes(SESSIONS_LIMIT)}`,
      met: cost <= SESSIONS_LIMIT,
    },
  ];
}

/** @param first of the addresses, so that none was used before */
async function begin(port: number, first: number, count: number): Promise<void> {
  await forEach(count / A_CALLER, async (index) => {
    const from = caller(port, callerAddress(first / A_CALLER + index), 1);
    for (let session = 0; session < A_CALLER; session++) await beginSession(from);
    from.close();
  });
}

/** One caller begins a thousand sessions a second while another goes on with its work. */
async function flooded({ pid, port, inspectorPort }: Server, seconds: number): Promise<readonly Finding[]> {
  const time = seconds * 1000;
  const honest = caller(port, "127.2.0.1");
  const sessionId = await beginSession(honest);
  await pings(honest, sessionId, time / 4);
  const before = await pings(honest, sessionId, time);
  const memoryBefore = await collectedMemory(pid, inspectorPort);
  const [meanwhile, answers] = await Promise.all([pings(honest, sessionId, time), flood(port, time)]);
  const growth = (await collectedMemory(pid, inspectorPort)) - memoryBefore;
  honest.close();
  const [p99, p99Before] = [percentile(meanwhile, 0.99), percentile(before, 0.99)];
  const refused = answers.get(429) ?? 0;
  const sent = [...answers.values()].reduce((sum, count) => sum + count, 0);
  return [
    {
      what: `p99 of another client's ping while one begins ${whole(sent / seconds)} sessions a second`,
      measured: milliseconds(p99),
      against: `without: ${milliseconds(p99Before)}`,
      ratio: times(p99 / p99Before),
      target: `≤ ${times(2)}`,
      met: p99 <= 2 * p99Before,
    },
    {
      what: "Sessions begun too fast that were answered 429 with Retry-After",
      measured: whole(refused),
      against: `${whole(sent)} sent, ${whole(answers.get(200) ?? 0)} begun`,
      met: refused > 0 && refused + (answers.get(200) ?? 0) === sent,
    },
    {
      what: "Memory that stayed after the flood",
      measured: mebibytes(growth),
      against: `${mebibytes(memoryBefore)} before`,
      target: `≤ ${mebibytes(SESSIONS_LIMIT)}`,
      met: growth <= SESSIONS_LIMIT,
    },
  ];
}

/** One after the other, every ten milliseconds. */
async function pings(from: Caller, sessionId: string, time: number): Promise<Float64Array> {
  const latencies: number[] = [];
  for (const until = performance.now() + time; performance.now() < until; await passed(10)) {
    const { status, latency } = await from.post(
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { "Mcp-Session-Id": sessionId },
    );
    if (status !== 200) throw new Error(`ping was answered with ${status}`);
    latencies.push(latency);
  }
  return Float64Array.from(latencies);
}

/** In a process of its own: what it takes must not be taken for the server's. Returns how often each status came. */
function flood(port: number, time: number): Promise<ReadonlyMap<number, number>> {
  const program = fileURLToPath(new URL("./support/flood.ts", import.meta.url));
  const child = fork(program, [String(port), RUDE, String(FLOOD_RATE), String(time)]);
  return new Promise((resolve, reject) => {
    child.once("message", (answers: readonly (readonly [number, number])[]) => resolve(new Map(answers)));
    child.once("exit", (code) => reject(new Error(`the flood ended with ${code}`)));
  });
}

/** Streams that carry nothing but comments. */
async function openStreams({ pid, port, inspectorPort }: Server, seconds: number): Promise<readonly Finding[]> {
  const before = await collectedMemory(pid, inspectorPort);
  const streams: IncomingMessage[] = [];
  let comments = 0;
  let dropped = 0;
  await forEach(STREAMS / A_CALLER, async (index) => {
    const from = caller(port, callerAddress(10_000 + index), 1);
    for (let one = 0; one < A_CALLER; one++) {
      const stream = await from.listen(await beginSession(from));
      stream.on("data", () => comments++);
      for (const end of ["end", "error"]) stream.once(end, () => dropped++);
      streams.push(stream);
    }
    from.close();
  });
  await passed(seconds * 1000);
  const growth = (await collectedMemory(pid, inspectorPort)) - before;
  const [lost, heard] = [dropped, comments];
  for (const stream of streams) stream.destroy();
  return [
    {
      what: `Streams of ${whole(STREAMS)} that were dropped in ${seconds} s`,
      measured: whole(lost),
      against: `${whole(heard / STREAMS)} comments each, ${mebibytes(growth)} together`,
      target: "0",
      met: lost === 0 && heard / STREAMS >= seconds / 15 - 1,
    },
  ];
}
