import { documentReader } from "../infra/node/files/read-document.ts";
import { bundledWorker } from "../test/infra-cloudflare/support/bundle.ts";
import { compiledConfiguration } from "../test/infra-cloudflare/support/configuration.ts";
import { openUpstream } from "../test/support/one-answer-upstream.ts";
import { type Agents, openSessions } from "./proxy/calls.ts";
import { startIssuer, startUpstream, urlOf } from "./proxy/servers.ts";
import { EDGE_VARIABLES } from "./support/edge.ts";
import type { Finding } from "./support/finding.ts";
import { serializeJson } from "./support/http-request.ts";
import { startLoadGenerator } from "./support/load.ts";
import { SESSION_HEADERS, STATELESS_HEADERS, STATELESS_META } from "./support/mcp.ts";
import { OPENAPI } from "./support/mcp-server.ts";
import type { BenchOptions } from "./support/options.ts";
import { NOTES } from "./support/rest-calls.ts";
import { type Contender, cpuFinding, printMeasurements, takeTurns } from "./support/turns.ts";
import { makeClient } from "./support/worker-client.ts";
import { startProduct, startSmall, type Workerd } from "./support/workerd.ts";

const ROUNDS = 4;
/** Of the requests that other benchmarks send: these take several times as long. */
const SHARE = 0.2;
const TOOLS = 100;
const PUBLIC_MCP = `${EDGE_VARIABLES.PUBLIC_URL}/mcp`;

/** A request by which the gateway is measured, and the bare Worker beside it. */
interface Request {
  readonly name: string;
  readonly message: (names: Names) => Readonly<Record<string, unknown>>;
  readonly isStateless?: boolean;
  /** Absent: the MCP server. */
  readonly behind?: "api";
  readonly expect: string;
}

/** How a server names the two tools that are called. */
interface Names {
  readonly entry: string;
  readonly notes: string;
}

const OWN_NAMES: Names = { entry: "getEntry", notes: "listNotes" };
const GATEWAY_NAMES: Names = { entry: "ledger_getEntry", notes: "library_listNotes" };

const callOf = (name: string, args: Readonly<Record<string, string>> = {}) => ({
  method: "tools/call",
  params: { name, arguments: args },
});

const REQUESTS: readonly Request[] = [
  {
    name: "tools/call in a session",
    message: ({ entry }) => callOf(entry, { account: "DE89" }),
    expect: "Entry 4711",
  },
  {
    name: "tools/call, stateless",
    message: ({ entry }) => callOf(entry, { account: "DE89" }),
    isStateless: true,
    expect: "Entry 4711",
  },
  {
    name: "tools/call of a REST API in a session",
    message: ({ notes }) => callOf(notes),
    behind: "api",
    expect: "A note",
  },
  {
    name: `tools/list of ${TOOLS} tools in a session`,
    message: () => ({ method: "tools/list", params: {} }),
    expect: "archive_invoice_45",
  },
];

/**
 * Calls and lists through the gateway in bare workerd, Durable Objects on disk, beside a Worker that only forwards. The
 * agent has a JWT; a policy, an exchanged token that is kept and a durable record belong to each call of the MCP server.
 */
export async function benchWorkerdCalls(options: BenchOptions): Promise<readonly Finding[]> {
  const [requests, warmUp] = [options.requests, options.warmUp].map((count) => Math.ceil(count * SHARE));
  const running: { stop(): Promise<void> }[] = [];
  const kept = <Server extends { stop(): Promise<void> }>(server: Server): Server => {
    running.push(server);
    return server;
  };
  try {
    const generator = kept(await startLoadGenerator(options.folder));
    const issuer = kept(await startIssuer());
    const upstream = kept(await startUpstream(TOOLS));
    const api = await openUpstream(NOTES);
    kept({ stop: () => api.close() });
    const configuration = await compiledConfiguration(
      gatewayConfiguration(`http://localhost:${issuer.port}`, urlOf(upstream), api.url),
      documentReader(process.cwd()),
    );
    const bundle = await bundledWorker(configuration.path);
    kept({ stop: () => bundle.remove() });
    await configuration.remove();
    const variables = { ...EDGE_VARIABLES, CS_GATEWAY_SECRET: "secret-of-the-gateway" };
    const gateway = kept(await startProduct({ bundle: bundle.path, variables, objects: "disk" }));
    // With an owner: records of calls belong to the first organization, and are sought until there is one.
    await makeClient(`http://127.0.0.1:${gateway.port}`);
    const forwarders = {
      api: kept(await startSmall("forward", new URL(api.url).origin)),
      mcp: kept(await startSmall("forward", new URL(urlOf(upstream)).origin)),
    };
    const agents = await openSessions(gateway, await issuer.tokens(PUBLIC_MCP, 1), options.connections);
    const counts = { requests: requests ?? 1, warmUp: warmUp ?? 1, connections: options.connections };
    const findings: Finding[] = [];
    for (const request of REQUESTS) {
      const forwarder = forwarders[request.behind ?? "mcp"];
      const [ours, passing] = await takeTurns(
        generator,
        [
          contender("Countersign", gateway, request, { ...counts, agents, names: GATEWAY_NAMES }),
          contender("a Worker that forwards", forwarder, request, { ...counts, agents, names: OWN_NAMES }),
        ],
        ROUNDS,
      );
      if (ours === undefined || passing === undefined) throw new Error("Two took turns.");
      console.log(`\nBare workerd, ${request.name}: ${options.connections} connections, ${ROUNDS} rounds in turns`);
      printMeasurements([ours, passing]);
      findings.push(cpuFinding(`Bare workerd, ${request.name}: CPU of 1,000`, ours, passing));
    }
    return findings;
  } finally {
    for (const server of running.toReversed()) await server.stop();
  }
}

interface ContenderOptions {
  readonly requests: number;
  readonly warmUp: number;
  readonly connections: number;
  readonly agents: Agents;
  readonly names: Names;
}

function contender(
  name: string,
  { pid, port }: Workerd,
  { message, isStateless = false, expect }: Request,
  { requests, warmUp, connections, agents: { tokens, sessions }, names }: ContenderOptions,
): Contender {
  const target = { host: "127.0.0.1", port };
  const authorization = { Authorization: `Bearer ${tokens[0] ?? ""}` };
  const { method, params } = message(names) as ReturnType<typeof callOf>;
  const stateless = { ...STATELESS_HEADERS, "Mcp-Method": method, "Mcp-Name": params.name, ...authorization };
  const inSession = (id: number) => ({
    ...SESSION_HEADERS,
    "Mcp-Session-Id": sessions[id % sessions.length] ?? "",
    ...authorization,
  });
  const own = isStateless ? { ...params, _meta: STATELESS_META } : params;
  const many = (count: number) =>
    Array.from({ length: count }, (_, id) =>
      serializeJson(target, {
        path: "/mcp",
        headers: isStateless ? stateless : inSession(id),
        body: JSON.stringify({ jsonrpc: "2.0", id: id + 1, method, params: own }),
      }),
    );
  return { name, pid, warmUp: many(warmUp), load: { target, requests: many(requests), connections, expect } };
}

function gatewayConfiguration(issuer: string, mcpServer: string, api: string): string {
  const wellKnown = `${issuer}/.well-known/openid-configuration`;
  return JSON.stringify({
    version: "1",
    logger: { level: "warn", jsonOutput: true },
    http: { publicURL: "{{ env.PUBLIC_URL }}", accessLog: { disabled: true } },
    console: { enabled: true, setupToken: "<countersign.setup-token>" },
    oidcProvider: { region: "{{ env.REGION }}", apiClients: { idSecret: "<countersign.id-secret>" } },
    connectors: [
      {
        name: "company",
        type: "oidc",
        oauthClientID: "gateway",
        oauthClientSecret: "<gateway.secret>",
        oidcWellKnownURL: wellKnown,
      },
    ],
    mcpProvider: {
      enabled: true,
      transports: { stream: { enabled: true, path: "/mcp", session: { enabled: true } } },
      allowedHosts: ["localhost", "127.0.0.1"],
      catalog: { search: "off" },
      authorization: {
        oauth: {
          enabled: true,
          metadataPath: "/.well-known/oauth-protected-resource",
          servers: [
            { wellKnownEndpoint: wellKnown, tokenValidation: { method: "jwt", expectedAudiences: [PUBLIC_MCP] } },
          ],
        },
      },
    },
    apps: [
      {
        name: "ledger",
        type: "mcpProxy",
        upstream: { stream: { url: mcpServer } },
        authorization: {
          inbound: {
            members: "any",
            cel: '"clerk" in token.claims.roles',
            tools: [{ name: "/.*/", scopes: ["ledger:read"] }],
          },
          outbound: {
            type: "tokenExchange",
            tokenExchange: {
              idp: "company",
              audience: "https://kept.example/",
              tools: [{ name: "/.*/", ttl: "1h", scopes: [{ name: "ledger:read" }] }],
            },
          },
        },
      },
      {
        name: "library",
        type: "mcpBridge",
        openapi: { spec: { uri: OPENAPI }, baseURL: api },
        authorization: { inbound: { members: "any" }, outbound: { type: "unprotected" } },
      },
    ],
  });
}
