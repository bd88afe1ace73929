import { fileURLToPath } from "node:url";
import { openUpstream } from "../test/support/one-answer-upstream.ts";
import { openSessions } from "./proxy/calls.ts";
import { type ServerProcess, startLimit } from "./proxy/servers.ts";
import type { Finding } from "./support/finding.ts";
import { startLoadGenerator } from "./support/load.ts";
import { OPENAPI, startMcpServer } from "./support/mcp-server.ts";
import { startAgentgateway } from "./support/optional-peers.ts";
import { type BenchOptions, flagsOfNode } from "./support/options.ts";
import { NOTES, noteCalls } from "./support/rest-calls.ts";
import { type Contender, cpuFinding, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 4;
/** How much more CPU than the limit a call may take. */
const MAXIMUM_CPU = 1.7;

/** Calls of a REST API's tool in a session, beside a bare server with durable rows and the optional peer. */
export async function benchBridge(options: BenchOptions): Promise<readonly Finding[]> {
  const { folder, requests, warmUp, connections } = options;
  const running: Pick<ServerProcess, "stop">[] = [];
  const kept = <Server extends Pick<ServerProcess, "stop">>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const generator = kept(await startLoadGenerator(folder));
    const api = await openUpstream(NOTES);
    kept({ stop: () => api.close() });
    const contender = (name: string, { pid, port }: ServerProcess, tool: string, sessions: readonly string[]) => {
      const target = { host: "localhost", port };
      const calls = (count: number) => noteCalls(target, tool, sessions, count);
      return {
        name,
        pid,
        warmUp: calls(warmUp),
        load: { target, requests: calls(requests), connections, expect: "A note" },
      };
    };
    const gateway = kept(await startMcpServer(folder, { api: api.url, flagsOfNode: flagsOfNode() }));
    const limit = kept(await startLimit(folder, { port: Number(new URL(api.url).port) }));
    const { sessions } = await openSessions(gateway, [], connections);
    const contenders: Contender[] = [
      contender("Countersign", gateway, "upstream_listNotes", sessions),
      contender("bare server, dispatch and two durable rows", limit, "listNotes", []),
    ];
    const document = { file: fileURLToPath(OPENAPI) };
    const agentgateway = await startAgentgateway(folder, {
      openapi: { host: new URL(api.url).host, schema: document },
    });
    if (agentgateway !== undefined) {
      const opened = await openSessions(kept(agentgateway), [], connections);
      contenders.push(contender("agentgateway", agentgateway, "listNotes", opened.sessions));
    }
    const measured = await takeTurns(generator, contenders, ROUNDS);
    console.log(`\nCalls of a REST API's tool: ${connections} connections, ${ROUNDS} rounds in turns`);
    printMeasurements(measured);
    const [ours, ...others] = measured;
    if (ours === undefined) throw new Error("Nobody took turns.");
    return others.map((other, index) =>
      cpuFinding("CPU of 1,000 calls of a REST API's tool", ours, other, index === 0 ? MAXIMUM_CPU : 1),
    );
  } finally {
    for (const server of running.toReversed()) await server.stop();
  }
}
