import { openUpstream } from "../test/support/one-answer-upstream.ts";
import { openSessions, toolCall } from "./proxy/calls.ts";
import { startGateway, startIssuer, startUpstream, urlOf } from "./proxy/servers.ts";
import { APPS } from "./proxy/terms.ts";
import { beginSessions } from "./support/crowd.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson } from "./support/http-request.ts";
import { type LoadGenerator, startLoadGenerator } from "./support/load.ts";
import { startMcpServer } from "./support/mcp-server.ts";
import type { BenchOptions } from "./support/options.ts";
import { NOTES, noteCalls } from "./support/rest-calls.ts";
import { whole } from "./support/statistics.ts";
import { type Contender, cpuFinding, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
const TOOLS = [10, 1_000, 10_000] as const;
/** Of the API clients: as many as a million has 50,000, and a fiftieth of those. */
const SESSIONS_SHARES = [1 / 1_000, 1 / 20] as const;
const FEW_CLIENTS = 10;
/** How much more CPU a call may take where there is more of something. */
const MAXIMUM = 1.1;

type Kept = <Server extends { stop(): Promise<void> }>(server: Server) => Server;

/** CPU of a call on Node by the number of tools, sessions and API clients that are not called, do not call and do not ask. */
export async function benchGrowth(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  try {
    const tools = await compared("tools", generator, (kept) =>
      Promise.all(TOOLS.map((n) => ofTools(n, kept, options))),
    );
    const sessions = await compared("sessions", generator, (kept) => ofSessions(kept, options));
    const clients = await compared("API clients", generator, (kept) => ofClients(kept, options));
    return [...tools, ...sessions, ...clients];
  } finally {
    await generator.stop();
  }
}

async function compared(
  what: string,
  generator: LoadGenerator,
  start: (kept: Kept) => Promise<readonly Contender[]>,
): Promise<readonly Finding[]> {
  const running: { stop(): Promise<void> }[] = [];
  try {
    const contenders = await start((server) => {
      running.push(server);
      return server;
    });
    const measured = await takeTurns(generator, contenders, ROUNDS);
    console.log(`\nCPU of a call by ${what}: ${ROUNDS} rounds in turns`);
    printMeasurements(measured);
    const [few, ...more] = measured;
    if (few === undefined) throw new Error("Nobody took turns.");
    return more.map((many) => cpuFinding(`CPU of 1,000 calls with ${many.name}`, many, few, MAXIMUM));
  } finally {
    for (const server of running.toReversed()) await server.stop();
  }
}

/** Of an upstream MCP server. */
async function ofTools(tools: number, kept: Kept, options: BenchOptions): Promise<Contender> {
  const { folder, requests, warmUp, connections } = options;
  const issuer = kept(await startIssuer());
  const upstream = kept(await startUpstream(tools));
  const policy = '"clerk" in token.claims.roles';
  const gateway = kept(
    await startGateway(folder, issuer, upstream, [], { policy, catalog: { search: "off" }, kinds: ["kept"] }),
  );
  const agents = await openSessions(gateway, await issuer.tokens(urlOf(gateway), 1), connections);
  const target = { host: "localhost", port: gateway.port };
  const call = { generation: "session", tool: `${APPS.kept}_create_invoice_0`, agents } as const;
  const calls = (count: number) =>
    Array.from({ length: count }, (_, id) => serializeJson(target, { path: "/mcp", ...toolCall(id + 1, call) }));
  return {
    name: `${whole(tools)} tools`,
    pid: gateway.pid,
    warmUp: calls(warmUp),
    load: { target, requests: calls(requests), connections, expect: "Entry 4711" },
  };
}

async function ofSessions(kept: Kept, options: BenchOptions): Promise<readonly Contender[]> {
  const contenders: Contender[] = [];
  for (const share of SESSIONS_SHARES) {
    const count = Math.ceil(options.clients * share);
    contenders.push(await ofNotes(`${whole(count)} sessions`, { sessions: count }, kept, options));
  }
  return contenders;
}

async function ofClients(kept: Kept, options: BenchOptions): Promise<readonly Contender[]> {
  const contenders: Contender[] = [];
  for (const clients of [FEW_CLIENTS, options.clients])
    contenders.push(
      await ofNotes(`${whole(clients)} API clients`, { clients, sessions: options.connections }, kept, options),
    );
  return contenders;
}

/** Calls of a REST API's tool, all sessions in turns. */
async function ofNotes(
  name: string,
  { clients = 0, sessions }: { readonly clients?: number; readonly sessions: number },
  kept: Kept,
  { folder, requests, warmUp, connections }: BenchOptions,
): Promise<Contender> {
  const api = await openUpstream(NOTES);
  kept({ stop: () => api.close() });
  const server = kept(await startMcpServer(folder, { api: api.url, clients }));
  const opened = await beginSessions(server.port, sessions);
  const target = { host: "localhost", port: server.port };
  const calls = (count: number) => noteCalls(target, "upstream_listNotes", opened, count);
  return {
    name,
    pid: server.pid,
    warmUp: calls(warmUp),
    load: { target, requests: calls(requests), connections, expect: "A note" },
  };
}
