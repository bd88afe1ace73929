import { createSigner } from "../test/behaviour/fixture.ts";
import { type GatewayUnderTest, gatewayToken, mcpURL, startGateway } from "../test/behaviour/gateway-fixture.ts";
import { node } from "../test/runtimes/node.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson } from "./support/http-request.ts";
import { startLoadGenerator } from "./support/load.ts";
import type { BenchOptions } from "./support/options.ts";
import { times, whole } from "./support/statistics.ts";
import { type Contender, type Measurement, printMeasurements, takeTurns } from "./support/turns.ts";

const ROUNDS = 8;
/** Microseconds of CPU a call. */
const MOST = 30;

const ONE = `limits:
  - name: calls
    for: {app: upstream}
    per: client
    rate: 1000000/s
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

/** What limits add to the CPU of one call of a tool on Node, beside the same call without. */
export async function benchLimits(options: BenchOptions): Promise<readonly Finding[]> {
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
    target: `≤ ${MOST} µs more`,
    met: added <= MOST,
  };
}
