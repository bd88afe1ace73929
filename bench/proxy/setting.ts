import { startAgentgateway } from "../support/optional-peers.ts";
import type { BenchOptions, Generation } from "../support/options.ts";
import type { Contender } from "../support/turns.ts";
import { type Agents, openSessions, serializedCalls, strangers } from "./calls.ts";
import {
  type Issuer,
  type ServerProcess,
  startForwarder,
  startGateway,
  startIssuer,
  startLimit,
  startUpstream,
  urlOf,
} from "./servers.ts";
import { APPS, TOOLS } from "./terms.ts";

/** All processes but the load generator, and who calls. */
export interface Setting {
  readonly issuer: Issuer;
  readonly upstream: ServerProcess;
  readonly gateway: ServerProcess;
  readonly forwarder: ServerProcess;
  readonly limit: ServerProcess;
  /** Absent without its program. */
  readonly agentgateway?: ServerProcess & { readonly sessions: readonly string[] };
  readonly agents: Agents;
  stop(): Promise<void>;
}

/** So many of one person's tokens are in use: an exchange that is not kept is still shared by calls with one token. */
const TOKENS = 64;

export async function startSetting(
  { folder, connections }: BenchOptions,
  flagsOfNode: readonly string[] = [],
): Promise<Setting> {
  const running: ServerProcess[] = [];
  const stop = async () => {
    for (const server of running.toReversed()) await server.stop();
  };
  const kept = <Server extends ServerProcess>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const issuer = kept(await startIssuer());
    const upstream = kept(await startUpstream());
    const gateway = kept(await startGateway(folder, issuer, upstream, flagsOfNode));
    const forwarder = kept(await startForwarder(upstream));
    const limit = kept(await startLimit(folder, upstream));
    const agentgateway = await startAgentgateway(folder, { mcp: { host: urlOf(upstream) } });
    if (agentgateway !== undefined) kept(agentgateway);
    const agents = await openSessions(gateway, await issuer.tokens(urlOf(gateway), TOKENS), connections);
    const setting = { issuer, upstream, gateway, forwarder, limit, agents, stop };
    if (agentgateway === undefined) return setting;
    const { sessions } = await openSessions(agentgateway, agents.tokens, connections);
    return { ...setting, agentgateway: { ...agentgateway, sessions } };
  } catch (error) {
    await stop();
    throw error;
  }
}

export interface Lane {
  /** Of the result: some 200 characters, or 10 KB. */
  readonly size: "short" | "long";
  readonly generation: Generation;
  readonly connections: number;
  readonly requests: number;
  readonly warmUp: number;
}

export type Way = "gateway" | "exchanging" | "forwarder" | "limit" | "agentgateway";

const NAMES: Readonly<Record<Way, string>> = {
  gateway: "Countersign",
  exchanging: "Countersign, an exchange a call",
  forwarder: "Hono, fetch and pipe",
  limit: "bare server, dispatch and two durable rows",
  agentgateway: "agentgateway",
};

/** The same call on its way through one of the servers. */
export function contender(way: Way, lane: Lane, setting: Setting): Contender {
  const { generation, size, connections, requests, warmUp } = lane;
  const isOurs = way === "gateway" || way === "exchanging";
  const server = isOurs ? setting.gateway : setting[way];
  if (server === undefined) throw new Error(`${way} does not run.`);
  const app = way === "exchanging" ? APPS.unkept : APPS.kept;
  const [token = ""] = setting.agents.tokens;
  const agents = way === "exchanging" ? setting.agents : { ...setting.agents, tokens: [token] };
  const options = {
    generation,
    tool: isOurs ? `${app}_${TOOLS[size]}` : TOOLS[size],
    agents: isOurs ? agents : { ...strangers(agents), ...(way === "agentgateway" && setting.agentgateway) },
  };
  return {
    name: NAMES[way],
    pid: server.pid,
    warmUp: serializedCalls(server, warmUp, options),
    load: {
      target: { host: "localhost", port: server.port },
      requests: serializedCalls(server, requests, options),
      connections,
      expect: "Entry 4711",
    },
  };
}
