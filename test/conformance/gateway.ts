import type { RuntimeUnderTest } from "../support/runtime.ts";
import { type Issuer, startIssuer } from "../support/token-issuer.ts";
import { proxyConfiguration } from "./configuration.ts";
import { startShim } from "./shim.ts";

/** The gateway before an MCP server, with a shim before it that has a token. */
export interface GuardedUpstream {
  /** Of the shim. */
  readonly url: string;
  /** What the gateway has logged as a warning or an error. */
  complaints(): readonly string[];
  stop(): Promise<void>;
}

/** @param upstreamURL of the MCP server's endpoint */
export async function startGuardedUpstream(runtime: RuntimeUnderTest, upstreamURL: string): Promise<GuardedUpstream> {
  const issuer = await startIssuer();
  try {
    return await startBefore(upstreamURL, runtime, issuer);
  } catch (cause) {
    await issuer.stop();
    throw cause;
  }
}

async function startBefore(upstreamURL: string, runtime: RuntimeUnderTest, issuer: Issuer): Promise<GuardedUpstream> {
  const regions = await runtime.start({
    configuration: proxyConfiguration,
    variables: { UPSTREAM_URL: upstreamURL, ISSUER_METADATA: issuer.wellKnown },
    alone: true,
  });
  const mcpURL = `${regions.us.url}/mcp`;
  const shim = await startShim(mcpURL, await issuer.issue(mcpURL));
  return {
    url: shim.url,
    complaints: () => regions.us.logs().filter((line) => /"level":"(warn|error)"/i.test(line)),
    stop: async () => {
      await shim.stop();
      await regions.stop();
      await issuer.stop();
    },
  };
}
