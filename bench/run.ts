import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { benchAuditLog } from "./audit-log.ts";
import { benchBridge } from "./bridge.ts";
import { benchBundle } from "./bundle.ts";
import { benchConnections } from "./connections.ts";
import { benchConsole } from "./console.ts";
import { benchCredentials } from "./credentials.ts";
import { benchDeployment } from "./deployment.ts";
import { benchEditor } from "./editor.ts";
import { benchGrowth } from "./growth.ts";
import { benchInbound } from "./inbound.ts";
import { benchIntrospection } from "./introspection.ts";
import { benchLambda } from "./lambda.ts";
import { benchLimits } from "./limits.ts";
import { benchList } from "./list.ts";
import { benchMcp } from "./mcp.ts";
import { benchMcpSessions } from "./mcp-sessions.ts";
import { benchMemory } from "./memory.ts";
import { benchNodeStart } from "./node-start.ts";
import { benchOpenapi } from "./openapi.ts";
import { benchOpenapiScale } from "./openapi-scale.ts";
import { benchPolicy } from "./policy.ts";
import { benchProxy } from "./proxy.ts";
import { benchRetention } from "./retention.ts";
import { benchRevocation } from "./revocation.ts";
import { benchSearch } from "./search.ts";
import { benchStart } from "./start.ts";
import { benchStops } from "./stops.ts";
import { type Finding, printSummary } from "./support/finding.ts";
import { type BenchOptions, GENERATIONS, type Generation } from "./support/options.ts";
import { benchTelemetry } from "./telemetry.ts";
import { benchTokenEndpoint } from "./token-endpoint.ts";
import { benchValidation } from "./validation.ts";
import { benchWebApps } from "./web-apps.ts";
import { benchWorkerd } from "./workerd.ts";
import { benchWorkerdCalls } from "./workerd-calls.ts";
import { benchWorkerdStart } from "./workerd-start.ts";
import { benchZipf } from "./zipf.ts";

const BENCHMARKS: Readonly<Record<string, (options: BenchOptions) => Promise<readonly Finding[]>>> = {
  token: benchTokenEndpoint,
  telemetry: benchTelemetry,
  zipf: benchZipf,
  introspection: benchIntrospection,
  inbound: benchInbound,
  policy: benchPolicy,
  credentials: benchCredentials,
  revocation: benchRevocation,
  stops: benchStops,
  limits: benchLimits,
  mcp: benchMcp,
  "mcp-sessions": benchMcpSessions,
  workerd: benchWorkerd,
  "node-start": benchNodeStart,
  "workerd-calls": benchWorkerdCalls,
  "workerd-start": benchWorkerdStart,
  start: benchStart,
  bundle: benchBundle,
  lambda: benchLambda,
  validation: benchValidation,
  openapi: benchOpenapi,
  search: benchSearch,
  "openapi-scale": benchOpenapiScale,
  proxy: benchProxy,
  "web-apps": benchWebApps,
  list: benchList,
  bridge: benchBridge,
  memory: benchMemory,
  growth: benchGrowth,
  "audit-log": benchAuditLog,
  retention: benchRetention,
  connections: benchConnections,
  console: benchConsole,
  deployment: benchDeployment,
  editor: benchEditor,
};

/** How much is measured unless an option says otherwise, and with `--quick`: enough to see that everything works. */
const FULL = { requests: 20_000, warmUp: 10_000, clients: 1_000_000, records: 1_000_000, runs: 9, seconds: 120 };
const QUICK = { requests: 200, warmUp: 100, clients: 2_000, records: 2_000, runs: 1, seconds: 6 };

/** `npm run bench [-- --quick --only token,zipf --requests 20000]`. Prints ratios against a peer in the same run, not bare numbers. */
const { values } = parseArgs({
  options: {
    only: { type: "string", default: Object.keys(BENCHMARKS).filter(isWhole).join(",") },
    quick: { type: "boolean", default: false },
    requests: { type: "string" },
    "warm-up": { type: "string" },
    connections: { type: "string", default: "16" },
    clients: { type: "string" },
    records: { type: "string" },
    runs: { type: "string" },
    seconds: { type: "string" },
    generations: { type: "string", default: GENERATIONS.join(",") },
  },
});
const usual = values.quick ? QUICK : FULL;
const options: BenchOptions = {
  requests: count(values.requests ?? usual.requests),
  warmUp: count(values["warm-up"] ?? usual.warmUp),
  connections: count(values.connections),
  clients: count(values.clients ?? usual.clients),
  records: count(values.records ?? usual.records),
  runs: count(values.runs ?? usual.runs),
  seconds: count(values.seconds ?? usual.seconds),
  makesPeers: !values.quick,
  generations: values.generations.split(",").map(generationOf),
  folder: mkdtempSync(join(tmpdir(), "countersign-bench-")),
};

const findings: Finding[] = [];
try {
  for (const benchmark of values.only.split(",").map(benchmarkOf)) findings.push(...(await benchmark(options)));
} finally {
  rmSync(options.folder, { recursive: true });
}
printSummary(findings);

/** Benchmarks of which another is a part are left out of a whole run. */
function isWhole(name: string): boolean {
  return name !== "node-start" && name !== "workerd-start";
}

function benchmarkOf(name: string): (options: BenchOptions) => Promise<readonly Finding[]> {
  const known = Object.hasOwn(BENCHMARKS, name) ? BENCHMARKS[name] : undefined;
  if (known === undefined) throw new Error(`"${name}" is no benchmark; known: ${Object.keys(BENCHMARKS).join(", ")}.`);
  return known;
}

function generationOf(name: string): Generation {
  const known = GENERATIONS.find((generation) => generation === name);
  if (known === undefined) throw new Error(`"${name}" is no generation; known: ${GENERATIONS.join(", ")}.`);
  return known;
}

function count(text: string | number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`"${text}" is not a positive whole number.`);
  return value;
}
