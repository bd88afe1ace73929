import { serializedCalls } from "../proxy/calls.ts";
import { type ServerProcess, startGateway, startIssuer, startUpstream, urlOf } from "../proxy/servers.ts";
import type { Finding } from "../support/finding.ts";
import { startLoadGenerator } from "../support/load.ts";
import { type BenchOptions, flagsOfNode } from "../support/options.ts";
import { cpuTime } from "../support/process-usage.ts";
import { milliseconds, whole } from "../support/statistics.ts";
import { type Measurement, printMeasurements, takeTurns } from "../support/turns.ts";

const TOOLS = 10_000;
/** Microseconds of CPU that a search may take. */
const MAXIMUM_CPU = 10_000;
const ROUNDS = 3;
/** Of the requests of other benchmarks, as a search costs as much as many calls; but enough for a clock that ticks every 10 ms. */
const SHARE = 0.02;
const FEWEST = 120;
const QUESTIONS = ["get an entry", "export the statement of an account", "delete a user", "archive an invoice 4711"];

/** What a search over the tools of an MCP server costs: the first one, which makes the index, one by one, and 16 at a time. */
export async function measureSearchCost(options: BenchOptions): Promise<readonly Finding[]> {
  const generator = await startLoadGenerator(options.folder);
  const running: Pick<ServerProcess, "stop">[] = [generator];
  const kept = <Server extends ServerProcess>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const issuer = kept(await startIssuer());
    const upstream = kept(await startUpstream(TOOLS));
    const different = { policy: '"clerk" in token.claims.roles', catalog: { search: "on" }, kinds: ["kept"] } as const;
    const gateway = kept(await startGateway(options.folder, issuer, upstream, flagsOfNode(), different));
    const agents = { tokens: await issuer.tokens(urlOf(gateway), 1), sessions: [] };
    const searches = (count: number): readonly Buffer[] => {
      const of = (query: string) =>
        ({ generation: "stateless", tool: "search_tools", agents, given: { query } }) as const;
      return QUESTIONS.flatMap((query) => serializedCalls(gateway, Math.ceil(count / QUESTIONS.length), of(query)));
    };
    const target = { host: "localhost", port: gateway.port };
    const before = cpuTime(gateway.pid);
    await generator.run({ target, requests: searches(1).slice(0, 1), connections: 1, expect: '"tools":[{' });
    const first = cpuTime(gateway.pid) - before;
    const contender = (connections: number) => ({
      name: `Countersign, ${connections} at a time`,
      pid: gateway.pid,
      warmUp: searches(Math.max(FEWEST, options.warmUp * SHARE)),
      load: {
        target,
        requests: searches(Math.max(FEWEST, options.requests * SHARE)),
        connections,
        expect: '"tools":[',
      },
    });
    const measured = await takeTurns(generator, [contender(1), contender(16)], ROUNDS);
    console.log(
      `\nsearch_tools, ${whole(TOOLS)} tools of an MCP server; the first search, with the index: ${milliseconds(first / 1_000)} of CPU`,
    );
    printMeasurements(measured);
    return measured.map(costOf);
  } finally {
    for (const server of running.toReversed()) await server.stop();
  }
}

function costOf({ name, serverCpu, p99 }: Measurement): Finding {
  return {
    what: `A search in ${whole(TOOLS)} tools of an MCP server: CPU. ${name}`,
    measured: `${milliseconds(serverCpu / 1_000)}; p99 ${milliseconds(p99)}`,
    against: `limit: ${milliseconds(MAXIMUM_CPU / 1_000)}`,
    target: `≤ ${milliseconds(MAXIMUM_CPU / 1_000)}`,
    met: serverCpu <= MAXIMUM_CPU,
  };
}
