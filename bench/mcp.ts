import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../test/support/free-port.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson, type Target } from "./support/http-request.ts";
import { startLoadGenerator } from "./support/load.ts";
import {
  type McpServerUnderLoad,
  openSession,
  SESSION_HEADERS,
  STATELESS_HEADERS,
  STATELESS_META,
} from "./support/mcp.ts";
import { startMcpServer } from "./support/mcp-server.ts";
import type { BenchOptions } from "./support/options.ts";
import { type RunningProcess, startProcess } from "./support/process.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;

/** `ping` and `tools/list` a second, beside the MCP SDK's own server with the same tools, in the same run. */
export async function benchMcp(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  const running: RunningProcess[] = [];
  try {
    const ours = await startOurs(options.folder, running);
    const peer = await startPeer(options.folder, await toolsOf(ours), running);
    const findings: Finding[] = [];
    for (const kind of KINDS) {
      const contenders = [contender(kind, ours, options), contender(kind, peer, options)];
      const measurements = await takeTurns(generator, contenders, ROUNDS);
      console.log(`\nMCP, ${kind.what}: ${options.connections} connections, ${ROUNDS} rounds in turns`);
      printMeasurements(measurements);
      findings.push(finding(kind, measurements));
    }
    return findings;
  } finally {
    for (const { stop } of running) await stop();
    await generator.stop();
  }
}

interface Kind {
  readonly what: string;
  readonly path: (server: McpServerUnderLoad) => string;
  readonly headers: (server: McpServerUnderLoad) => Readonly<Record<string, string>>;
  readonly message: Readonly<Record<string, unknown>>;
  readonly expect: string;
}

const KINDS: readonly Kind[] = [
  { ...inSession("ping"), expect: '"result":{}' },
  { ...inSession("tools/list"), expect: '"inputSchema"' },
  {
    what: "tools/list without a session",
    path: ({ statelessPath }) => statelessPath,
    headers: () => ({ ...STATELESS_HEADERS, "Mcp-Method": "tools/list" }),
    message: { method: "tools/list", params: { _meta: STATELESS_META } },
    expect: '"inputSchema"',
  },
];

function inSession(method: string): Omit<Kind, "expect"> {
  return {
    what: `${method} in a session`,
    path: ({ sessionPath }) => sessionPath,
    headers: ({ sessionId }) => ({ ...SESSION_HEADERS, "Mcp-Session-Id": sessionId }),
    message: { method },
  };
}

async function startOurs(folder: string, running: RunningProcess[]): Promise<McpServerUnderLoad> {
  const server = await startMcpServer(folder);
  running.push(server);
  const target = { host: "localhost", port: server.port };
  return under("Countersign (SQLite sessions)", server, target, ["/mcp", "/mcp"]);
}

async function startPeer(folder: string, tools: unknown, running: RunningProcess[]): Promise<McpServerUnderLoad> {
  const file = join(folder, "tools.json");
  writeFileSync(file, JSON.stringify(tools));
  const port = await freePort();
  const program = fileURLToPath(new URL("./support/mcp-peer.ts", import.meta.url));
  const url = `http://localhost:${port}`;
  const server = await startProcess(process.execPath, [program, String(port), file], url);
  running.push(server);
  return under("MCP SDK's server (memory)", server, { host: "localhost", port }, ["/session", "/stateless"]);
}

async function under(
  name: string,
  { pid }: RunningProcess,
  target: Target,
  [sessionPath, statelessPath]: readonly [string, string],
): Promise<McpServerUnderLoad> {
  const sessionId = await openSession(`http://${target.host}:${target.port}${sessionPath}`);
  return { name, pid, target, sessionPath, statelessPath, sessionId };
}

async function toolsOf({ target, statelessPath }: McpServerUnderLoad): Promise<unknown> {
  const response = await fetch(`http://${target.host}:${target.port}${statelessPath}`, {
    method: "POST",
    headers: { ...STATELESS_HEADERS, "Mcp-Method": "tools/list" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: STATELESS_META } }),
  });
  return ((await response.json()) as { readonly result: { readonly tools: unknown } }).result.tools;
}

function contender(kind: Kind, server: McpServerUnderLoad, { requests, warmUp, connections }: BenchOptions): Contender {
  const { name, pid, target } = server;
  const request = (id: number) =>
    serializeJson(target, {
      path: kind.path(server),
      headers: kind.headers(server),
      body: JSON.stringify({ jsonrpc: "2.0", id, ...kind.message }),
    });
  const many = (count: number) => Array.from({ length: count }, (_, id) => request(id));
  return {
    name,
    pid,
    warmUp: many(warmUp),
    load: { target, requests: many(requests), connections, expect: kind.expect },
  };
}

function finding({ what }: Kind, [ours, peer]: readonly Measurement[]): Finding {
  if (ours === undefined || peer === undefined) throw new Error("Two servers were measured.");
  const ratio = ours.rate / peer.rate;
  return {
    what: `MCP ${what}`,
    measured: `${whole(ours.rate)}/s`,
    against: `${peer.name}: ${whole(peer.rate)}/s`,
    ratio: times(ratio),
    target: `≥ ${times(1)}`,
    met: ratio >= 1,
  };
}
