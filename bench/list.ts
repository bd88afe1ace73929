import { type Agents, openSessions, strangers } from "./proxy/calls.ts";
import {
  type Issuer,
  type ServerProcess,
  startForwarder,
  startGateway,
  startIssuer,
  startUpstream,
  urlOf,
} from "./proxy/servers.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson } from "./support/http-request.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import { SESSION_HEADERS } from "./support/mcp.ts";
import { startAgentgateway } from "./support/optional-peers.ts";
import { type BenchOptions, flagsOfNode } from "./support/options.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, cpuFinding, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const SIZES = [1_000, 10_000] as const;
/** Tools that are listed together, of all requests: a request is as long as its list. */
const TOOLS_A_REQUEST = 20;
/** Reads who asks and which tool; hides a few. */
const POLICY = '"clerk" in token.claims.roles && !request.mcp.tool.params.name.endsWith("_999")';
/** What of the CPU of ten times the list may be more than ten times. */
const LINEAR = 1.2;

/** `tools/list` of MCP servers with many tools, with everything on, beside a server that only passes the list on. */
export async function benchList(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  try {
    const findings: Finding[] = [];
    const cpu: number[] = [];
    for (const tools of SIZES) {
      const { ours, finding } = await measureLists(tools, generator, options);
      findings.push(...finding);
      cpu.push(ours.serverCpu);
    }
    return [...findings, linear(cpu)];
  } finally {
    await generator.stop();
  }
}

async function measureLists(
  tools: number,
  generator: LoadGenerator,
  options: BenchOptions,
): Promise<{ readonly ours: Measurement; readonly finding: readonly Finding[] }> {
  const running: ServerProcess[] = [];
  const kept = <Server extends ServerProcess>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const issuer: Issuer = kept(await startIssuer());
    const upstream = kept(await startUpstream(tools));
    const different = { policy: POLICY, catalog: { search: "off" }, kinds: ["kept"] } as const;
    const gateway = kept(await startGateway(options.folder, issuer, upstream, flagsOfNode(), different));
    const forwarder = kept(await startForwarder(upstream));
    const agentgateway = await startAgentgateway(options.folder, { mcp: { host: urlOf(upstream) } });
    if (agentgateway !== undefined) kept(agentgateway);
    const agents = await openSessions(gateway, await issuer.tokens(urlOf(gateway), 1), options.connections);
    const contenders = [
      contender("Countersign", gateway, agents, tools, options),
      contender("Hono, fetch and pipe", forwarder, strangers(agents), tools, options),
    ];
    if (agentgateway !== undefined) {
      const { sessions } = await openSessions(agentgateway, agents.tokens, options.connections);
      contenders.push(contender("agentgateway", agentgateway, { ...agents, sessions }, tools, options));
    }
    const before = await askedFor(upstream);
    const measured = await takeTurns(generator, contenders, ROUNDS);
    const [ours, passing, peer] = measured;
    if (ours === undefined || passing === undefined) throw new Error("Two or more took turns.");
    console.log(`\ntools/list, ${whole(tools)} tools: ${options.connections} connections, ${ROUNDS} rounds in turns`);
    printMeasurements(measured);
    const asPeers = contenders
      .slice(1)
      .reduce((sum, { warmUp, load }) => sum + warmUp.length + load.requests.length, 0);
    const asked = (await askedFor(upstream)) - before - asPeers;
    const cost = `CPU of 1,000 lists of ${whole(tools)} tools`;
    const beside = peer === undefined ? [] : [cpuFinding(cost, ours, peer, 1)];
    return { ours, finding: [cpuFinding(cost, ours, passing), ...beside, questions(tools, asked)] };
  } finally {
    for (const server of running.toReversed()) await server.stop();
  }
}

function contender(
  name: string,
  server: ServerProcess,
  { tokens, sessions }: Agents,
  tools: number,
  { requests, warmUp, connections }: BenchOptions,
): Contender {
  const target = { host: "localhost", port: server.port };
  const many = (count: number) =>
    Array.from({ length: Math.max(ROUNDS, Math.ceil((count * TOOLS_A_REQUEST) / tools)) }, (_, id) =>
      serializeJson(target, {
        path: "/mcp",
        headers: {
          ...SESSION_HEADERS,
          Authorization: `Bearer ${tokens[0] ?? ""}`,
          "Mcp-Session-Id": sessions[id % sessions.length] ?? "",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: id + 1, method: "tools/list", params: {} }),
      }),
    );
  return {
    name,
    pid: server.pid,
    warmUp: many(warmUp),
    load: { target, requests: many(requests), connections, expect: "archive_invoice_45" },
  };
}

async function askedFor({ port }: ServerProcess): Promise<number> {
  return Number(await (await fetch(`http://localhost:${port}/asked`)).text());
}

/** Once at first, and in the background once a minute. */
function questions(tools: number, asked: number): Finding {
  return { what: `Lists of ${whole(tools)} tools that the server was asked for`, measured: whole(asked), against: "" };
}

function linear([small = Number.NaN, large = Number.NaN]: readonly number[]): Finding {
  const factor = SIZES[1] / SIZES[0];
  return {
    what: `CPU of a list with ${factor} times as many tools`,
    measured: times(large / small),
    against: `${factor} ×`,
    target: `≤ ${times(factor * LINEAR)}`,
    met: large <= small * factor * LINEAR,
  };
}
