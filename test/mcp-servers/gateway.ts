import { node } from "../runtimes/node.ts";
import { startIssuer } from "../support/token-issuer.ts";
import { guardedGateway } from "../support/yaml.ts";
import type { App, Servers } from "./servers.ts";

/** The gateway before all servers at once. */
export interface Guarding {
  /** Of the one endpoint. */
  readonly url: string;
  /** Of some agent; another one each time. */
  token(): Promise<string>;
  logs(): readonly string[];
  stop(): Promise<void>;
}

export async function startGuarding(servers: Servers): Promise<Guarding> {
  const issuer = await startIssuer();
  try {
    const regions = await node.start({
      configuration: guardedGateway(
        Object.entries(servers)
          .map(([name, { url }]) => app(name as App, url))
          .join(""),
      ),
      variables: { ISSUER_METADATA: issuer.wellKnown },
      alone: true,
    });
    const url = `${regions.us.url}/mcp`;
    return {
      url,
      token: () => issuer.issue(url),
      logs: regions.us.logs,
      stop: async () => {
        await regions.stop();
        await issuer.stop();
      },
    };
  } catch (cause) {
    await issuer.stop();
    throw cause;
  }
}

function app(name: App, url: string): string {
  const transport = name === "legacy" ? "sse" : "stream";
  return `  - type: mcpProxy
    name: ${name}
    upstream:
      transport: ${transport}
      ${transport}:
        url: ${url}
    authorization:
      outbound:
        type: unprotected
`;
}
