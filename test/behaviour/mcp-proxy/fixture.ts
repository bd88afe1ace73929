import { createRemoteJWKSet } from "jose";
import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import { startUpstream, type Upstream } from "../../support/upstream.ts";
import { createSigner, expectJson, issueToken, manage, type Owner, setUpOwner } from "../fixture.ts";
import { type AuditRecord, bearer, mcpURL } from "../gateway-fixture.ts";
import { holdsStreams } from "../mcp/fixture.ts";
import { type Generation, openAgent, type ProxiedAgent } from "./agent.ts";
import { AUDIENCE, mcpProxyConfiguration } from "./configuration.ts";
import { type McpServers, startMcpServers } from "./server.ts";

/** An agent in both generations of MCP, with tokens of its own. */
export interface Principal extends Readonly<Record<Generation, ProxiedAgent>> {
  readonly clientId: string;
  readonly token: string;
}

/** One region before MCP servers and a REST API. */
export interface ProxyUnderTest {
  /** Whether the runtime holds streams open, and so carries what servers ask of agents with sessions. */
  readonly streams: boolean;
  readonly us: RunningRegion;
  readonly owner: Owner;
  readonly servers: McpServers;
  readonly rest: Upstream;
  readonly ada: Principal;
  readonly grace: Principal;
  /** Records of the audit log, newest first. @param query such as `type=resource.read` */
  records(query: string): Promise<readonly AuditRecord[]>;
  stop(): Promise<void>;
}

export async function startProxy(runtime: RuntimeUnderTest): Promise<ProxyUnderTest> {
  const [servers, rest] = await Promise.all([startMcpServers(), startUpstream()]);
  const variables = { UPSTREAM_URL: rest.url, MCP_URL: servers.url };
  const regions = await runtime.start({ configuration: mcpProxyConfiguration, variables, alone: true });
  const { us } = regions;
  servers.expect(createRemoteJWKSet(new URL(`${us.url}/oauth2/jwks`)), us.url, AUDIENCE);
  const owner = await setUpOwner(us);
  const [ada, grace] = await Promise.all([startPrincipal(owner), startPrincipal(owner)]);
  return {
    streams: holdsStreams(runtime),
    us,
    owner,
    servers,
    rest,
    ada,
    grace,
    records: async (query) =>
      (await expectJson<{ items: readonly AuditRecord[] }>(await manage(owner, "GET", `/audit-events?${query}`), 200))
        .items,
    stop: async () => {
      await regions.stop();
      await Promise.all([servers.stop(), rest.stop()]);
    },
  };
}

async function startPrincipal(owner: Owner): Promise<Principal> {
  const { region } = owner;
  const resource = mcpURL(region);
  const signer = await createSigner(owner, { scopes: ["servers:read"], resources: [resource] });
  const token = await issueToken(region, signer, { resource });
  const open = (generation: Generation) => openAgent(region, bearer(token), generation);
  const [session, stateless] = await Promise.all([open("session"), open("stateless")]);
  return { clientId: signer.clientId, token, session, stateless };
}
