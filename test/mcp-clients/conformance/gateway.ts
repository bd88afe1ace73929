import { node } from "../../runtimes/node.ts";
import { conformanceConfiguration } from "./configuration.ts";
import { startConformanceUpstream } from "./upstream.ts";

export interface ConformanceGateway {
  readonly mcpURL: string;
  stop(): Promise<void>;
}

/** The gateway on Node with the tools that the scenarios call. */
export async function startConformanceGateway(): Promise<ConformanceGateway> {
  const upstream = await startConformanceUpstream();
  const regions = await node.start({
    configuration: conformanceConfiguration,
    variables: { UPSTREAM_URL: upstream.url },
  });
  const stop = async () => {
    await regions.stop();
    await upstream.stop();
  };
  return { mcpURL: `${regions.us.url}/mcp`, stop };
}
