import { join } from "node:path";
import { openStoreThread } from "../infra/node/store-thread/open.ts";
import type { LimitConfiguration } from "../lib/config/configuration.ts";
import { systemClock } from "../lib/kernel/clock.ts";
import { ALONE, createLimiter } from "../lib/limits/create-limiter.ts";
import { createLimits } from "../lib/limits/limits.ts";
import { createSigner } from "../test/behaviour/fixture.ts";
import { type GatewayUnderTest, gatewayToken, mcpURL, startGateway } from "../test/behaviour/gateway-fixture.ts";
import { node } from "../test/runtimes/node.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson } from "./support/http-request.ts";
import { startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { median, times, whole } from "./support/statistics.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 8;
const DECISIONS = 20_000;
const DECISION_ROUNDS = 9;
/** Microseconds of CPU a call. */
const MOST = 30;

const ONE = `limits:
  - name: calls
    for: {app: upstream}
    per: client
    rate: 100000/s
`;
const FOUR = `${ONE}  - name: daily
    for: {tool: /getN.*/}
    per: all
    quota: 100000000/day
  - name: places
    per: client
    concurrent: 1000
  - name: bytes
    per: organization
    bytes: 1GB/s
`;

/**
 * What limits add to the CPU of one call of a tool on Node: alone, which is judged, and beside the same call without, where two
 * servers of one kind differ by more than a limit costs.
 */
export async function benchLimits(options: BenchOptions): Promise<readonly Finding[]> {
  const usual: Finding[] = [];
  for (const [what, limit] of Object.entries(USUAL)) usual.push(await decisions(what, [limit], options));
  const large = [
    await decisions("One large limit", [RATE], options),
    await decisions("Four large limits of all kinds", ALL_KINDS, options),
  ];
  return [...usual, ...large, ...(await calls(options))];
}

const COMMON = { endpoints: ["mcp"], for: {}, per: ["client"], exact: false, unavailable: "deny" } as const;
const RATE: LimitConfiguration = {
  ...COMMON,
  name: "calls",
  for: { app: ["upstream"] },
  rate: { amount: 100_000, period: 1_000, burst: 100_000 },
};
const ALL_KINDS: readonly LimitConfiguration[] = [
  RATE,
  {
    ...COMMON,
    name: "daily",
    for: { tool: ["/getN.*/"] },
    per: [],
    quota: { amount: 100_000_000, period: 86_400_000, calendar: "day" },
  },
  { ...COMMON, name: "places", concurrent: 1_000 },
  { ...COMMON, name: "bytes", per: ["organization"], bytes: { amount: 1_000_000_000, period: 1_000 } },
];

/** Limits as people write them. Each has its own count of a caller, who uses up most of it. */
const USUAL: Readonly<Record<string, LimitConfiguration>> = {
  "100/s": { ...COMMON, name: "second", rate: { amount: 100, period: 1_000, burst: 100 } },
  "5000/h": { ...COMMON, name: "hour", rate: { amount: 5_000, period: 3_600_000, burst: 5_000 } },
  "10000/day": { ...COMMON, name: "day", quota: { amount: 10_000, period: 86_400_000, calendar: "day" } },
};

/**
 * What a call asks of the limits, beside the store in its own thread as a server has it: the median of rounds, both threads
 * together. Callers take turns, so that each uses up nine tenths of what it may, and then another comes.
 */
async function decisions(
  what: string,
  configured: readonly LimitConfiguration[],
  { folder }: BenchOptions,
): Promise<Finding> {
  const store = openStoreThread(join(folder, `limits-${crypto.randomUUID()}`), systemClock);
  try {
    const { stores } = store;
    const ports = { stores, clock: systemClock, logger: { warn: () => undefined } };
    const limits = createLimits(configured, createLimiter(ports, ALONE));
    const each = Math.min(...configured.map(callsOf));
    let made = 0;
    const decide = async () => {
      const client = `client_${Math.floor(made++ / each)}`;
      const subject = { address: "203.0.113.1", organization: client, client };
      const call = { ...subject, app: "upstream", tool: "getNote", bytes: () => ARGUMENTS.length };
      const taken = [limits.takeRequest("mcp", "known", subject), limits.takeCall(call)];
      for (const verdict of await Promise.all(taken))
        if (verdict !== undefined && verdict.outcome !== "granted") throw new Error("a limit refuses");
      const leave = limits.enter(call);
      if (typeof leave !== "function") throw new Error("a limit has no room");
      leave();
    };
    const costs: number[] = [];
    for (let round = 0; round <= DECISION_ROUNDS; round++) {
      const before = process.cpuUsage();
      for (let count = 0; count < DECISIONS; count++) await decide();
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round > 0) costs.push((user + system) / DECISIONS);
    }
    const cost = median(costs);
    return {
      what: `${what}: CPU that a call asks of limits on Node`,
      measured: `${cost.toFixed(1)} µs`,
      against: `the median of ${DECISION_ROUNDS} times ${DECISIONS}`,
      target: `≤ ${MOST} µs`,
      met: cost <= MOST,
    };
  } finally {
    await store.close();
  }
}

const ARGUMENTS = JSON.stringify({ noteId: "1" });

/** Nine tenths of what a limit lets through at once. */
function callsOf({ rate, quota }: LimitConfiguration): number {
  return Math.floor(0.9 * Math.min(rate?.burst ?? DECISIONS, quota?.amount ?? DECISIONS));
}

async function calls(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  const gateways: GatewayUnderTest[] = [];
  try {
    const contenders: Contender[] = [];
    for (const [name, more] of Object.entries({ "no limit": "", "one limit": ONE, "four limits": FOUR })) {
      const gateway = await startGateway(node, { alone: true, more });
      gateways.push(gateway);
      contenders.push(await contender(name, gateway, options));
    }
    const [none, one, four] = await takeTurns(generator, contenders, ROUNDS);
    if (none === undefined || one === undefined || four === undefined) throw new Error("Three servers were measured.");
    console.log(`\nLimits: calls of a Bridge tool, ${options.connections} connections, ${ROUNDS} rounds in turns`);
    printMeasurements([none, one, four]);
    return [finding("One limit", one, none), finding("Four limits of all kinds", four, none)];
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await generator.stop();
  }
}

async function contender(
  name: string,
  { us, owner }: GatewayUnderTest,
  { requests, warmUp, connections }: BenchOptions,
): Promise<Contender> {
  if (us.pid === undefined) throw new Error("The server has no process of its own.");
  const signer = await createSigner(owner, { scopes: ["notes:read"], resources: [mcpURL(us)] });
  const { hostname: host, port, pathname: path } = new URL(mcpURL(us));
  const target = { host, port: Number(port) };
  const headers = {
    authorization: `Bearer ${await gatewayToken(us, signer)}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": "2025-06-18",
  };
  const params = { name: "upstream_getNote", arguments: { noteId: "1" } };
  const request = (id: number) =>
    serializeJson(target, {
      path,
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params }),
    });
  const many = (count: number) => Array.from({ length: count }, (_, id) => request(id));
  return {
    name,
    pid: us.pid,
    warmUp: many(warmUp),
    load: { target, requests: many(requests), connections, expect: "First" },
  };
}

function finding(what: string, { serverCpu }: Measurement, none: Measurement): Finding {
  const added = serverCpu - none.serverCpu;
  return {
    what: `${what}: CPU that a call of a tool takes on Node`,
    measured: `${whole(serverCpu)} µs, ${whole(added)} more`,
    against: `without: ${whole(none.serverCpu)} µs`,
    ratio: times(serverCpu / none.serverCpu),
  };
}
