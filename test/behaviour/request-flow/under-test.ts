import { createRemoteJWKSet } from "jose";
import { type IdentityProvider, startIdentityProvider } from "../../support/identity-provider.ts";
import { type ProtectedUpstream, startProtectedUpstream } from "../../support/protected-upstream.ts";
import type { RunningRegion, RuntimeUnderTest } from "../../support/runtime.ts";
import { type Owner, setUpOwner, untilReady } from "../fixture.ts";
import { type McpServers, startMcpServers } from "../mcp-proxy/server.ts";
import { authProviderConfiguration, gatewayConfiguration, NOTES, SERVER } from "./configuration.ts";

/** Everything that takes part in a call, each a server of its own. */
export interface RequestFlow {
  readonly authProvider: RunningRegion;
  readonly gateway: RunningRegion;
  /** Of the gateway, whose audit log tells about calls. */
  readonly owner: Owner;
  /** Of the auth provider, who may take back what people allowed. */
  readonly providerOwner: Owner;
  /** Where people sign in. */
  readonly company: IdentityProvider;
  /** The API; it takes tokens of the auth provider that are for it. */
  readonly upstream: ProtectedUpstream;
  /** Their server `plain` takes tokens of the auth provider that are for it. */
  readonly servers: McpServers;
  stop(): Promise<void>;
}

/** @param configuration the auth provider's document */
export async function startRequestFlow(
  runtime: RuntimeUnderTest,
  configuration: string = authProviderConfiguration,
): Promise<RequestFlow> {
  const company = await startIdentityProvider();
  const [upstream, servers] = await Promise.all([startProtectedUpstream(), startMcpServers()]);
  const { us, uk, stop } = await runtime.start({
    configuration,
    ukConfiguration: gatewayConfiguration,
    variables: {
      UPSTREAM_URL: upstream.url,
      MCP_URL: servers.url,
      COMPANY_WELL_KNOWN: company.wellKnown,
      COMPANY_CLIENT: company.client.id,
      COMPANY_SECRET: company.client.secret,
    },
  });
  await company.register([`${us.url}/oauth2/callback`]);
  // Each looks for the other at its start; whichever was first found nobody, and looks again a little later.
  for (const region of [us, uk]) await untilReady(region);
  const keys = createRemoteJWKSet(new URL(`${us.url}/oauth2/jwks`));
  upstream.expect({ keys, issuer: us.url, audience: NOTES });
  servers.expect(keys, us.url, SERVER);
  return {
    authProvider: us,
    gateway: uk,
    owner: await setUpOwner(uk),
    providerOwner: await setUpOwner(us),
    company,
    upstream,
    servers,
    stop: async () => {
      await stop();
      await company.stop();
      await Promise.all([upstream.stop(), servers.stop()]);
    },
  };
}
