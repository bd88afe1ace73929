import { nodeSignatureVerifier } from "../../../infra/node/crypto/signature-verifier.ts";
import type { Dependencies } from "../../../lib/application/dependencies.ts";
import { createGateway, type Gateway } from "../../../lib/application/gateway.ts";
import type { Configuration, McpAuthorizationServer } from "../../../lib/config/configuration.ts";
import { createGuard } from "../../../lib/gateway/inbound/guard.ts";
import { webCryptoRandom } from "../../../lib/kernel/random.ts";
import { lineLogger } from "../../../lib/logging/line-logger.ts";
import { jsonLine } from "../../../lib/logging/log-line.ts";
import { type InstanceStops, NOTHING_STOPPED } from "../../../lib/stops/instance-stops.ts";
import { CONSOLE, PROCESS } from "../../support/configuration.ts";

const URL_OF_GATEWAY = "https://gateway.example";
export const RESOURCE = `${URL_OF_GATEWAY}/mcp`;

/** What stands before every MCP path, without the paths: who may come in, and what it takes to find out. */
export interface Guarded {
  readonly gateway: Gateway;
  /** Addresses that were fetched, in order. */
  readonly fetched: readonly string[];
  readonly logs: readonly string[];
  /** Milliseconds since the epoch; stands still unless it is moved. */
  readonly clock: { now(): number; pass(milliseconds: number): void };
  /** 200 when a request with this token would be let in. */
  statusOf(token: string, from?: string): Promise<number>;
  answerTo(headers: Readonly<Record<string, string>>, from?: string): Promise<Response | undefined>;
  /** The same instance with another configuration: what it learnt stays known (D33). */
  reconfigured(servers: readonly McpAuthorizationServer[]): Guarded;
  /** Resolves when the work behind all answers is done. */
  settled(): Promise<void>;
}

export interface GuardedOptions {
  readonly servers: readonly McpAuthorizationServer[];
  readonly fetch?: typeof globalThis.fetch;
  readonly instanceStops?: InstanceStops;
}

export function guarded({
  servers,
  fetch = globalThis.fetch,
  instanceStops = NOTHING_STOPPED,
}: GuardedOptions): Guarded {
  let now = Date.now();
  const logs: string[] = [];
  const fetched: string[] = [];
  const clock = {
    now: () => now,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
  const write = (line: string) => void logs.push(line);
  const logger = lineLogger({ level: "debug", format: jsonLine, write, clock, soid: "test" });
  const parts = {
    clock,
    logger,
    random: webCryptoRandom,
    signatures: nodeSignatureVerifier(),
    instanceStops,
    fetch: (input: Parameters<typeof fetch>[0], init: Parameters<typeof fetch>[1]) => {
      fetched.push(String(input));
      return fetch(input, init);
    },
  };
  const background: Promise<unknown>[] = [];
  const withServers = (list: readonly McpAuthorizationServer[], former?: Gateway): Guarded => {
    const snapshot = { revision: 1, configuration: configurationWith(list) };
    const dependencies = { ...parts, configuration: () => snapshot } as unknown as Dependencies;
    const gateway = createGateway(dependencies, { connectors: [] }, former);
    const guard = createGuard({ path: "/mcp", resource: RESOURCE }, gateway);
    const answerTo: Guarded["answerTo"] = async (headers, from = "203.0.113.1") => {
      const answer = await guard(new Request(RESOURCE, { method: "POST", headers }), {
        requestId: "request",
        remoteAddress: from,
        logger,
        authenticated: () => undefined,
        waitUntil: (work) => void background.push(work),
      });
      return answer instanceof Response ? answer : undefined;
    };
    return {
      gateway,
      fetched,
      logs,
      clock,
      answerTo,
      statusOf: async (token, from) => (await answerTo({ authorization: `Bearer ${token}` }, from))?.status ?? 200,
      reconfigured: (others) => withServers(others, gateway),
      settled: async () => void (await Promise.all(background)),
    };
  };
  return withServers(servers);
}

export function trusted(wellKnownEndpoint: string, more: Partial<McpAuthorizationServer> = {}): McpAuthorizationServer {
  return {
    wellKnownEndpoint,
    refreshInterval: 86_400_000,
    expectedAudiences: [RESOURCE],
    method: "jwt",
    clockSkew: 0,
    ...more,
  };
}

function configurationWith(servers: readonly McpAuthorizationServer[]): Configuration {
  return {
    ...PROCESS,
    publicURL: URL_OF_GATEWAY,
    store: { path: "" },
    ...{ auditWebRequests: "denied", oauthConnectors: [], signals: [], webhooks: [], vaultKeys: [] },
    console: { ...CONSOLE, baseURL: URL_OF_GATEWAY },
    session: { cookieName: "__Host-countersign", maxTimeout: 86_400_000, idleTimeout: 3_600_000 },
    limits: [],
    apps: [],
    mcpProvider: {
      serverName: "gateway",
      stream: { path: "/mcp", resource: RESOURCE },
      oauth: { enabled: true, metadataPath: "/.well-known/oauth-protected-resource", servers },
      allowedOrigins: [],
      allowedHosts: [],
    },
  };
}
