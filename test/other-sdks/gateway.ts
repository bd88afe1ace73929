import { readFileSync } from "node:fs";
import { node } from "../runtimes/node.ts";
import { startIssuer } from "../support/token-issuer.ts";
import { bridgeApp, guardedGateway } from "../support/yaml.ts";

/** The gateway on Node before all servers at once. */
export interface Guarding {
  /** Of the one endpoint. */
  readonly url: string;
  /** Of some agent. */
  token(): Promise<string>;
  /** What the gateway has logged as a warning or an error. */
  complaints(): readonly string[];
  stop(): Promise<void>;
}

const OPENAPI = readFileSync(new URL("api.openapi.yaml", import.meta.url), "utf8");

/**
 * @param apiURL of the API behind the app `bridge`
 * @param servers endpoints of MCP servers by the names of their apps
 */
export async function startGuarding(apiURL: string, servers: Readonly<Record<string, string>>): Promise<Guarding> {
  const issuer = await startIssuer();
  try {
    const apps = Object.entries(servers).map(([name, url]) => proxyApp(name, url));
    const unprotected = "    authorization:\n      outbound:\n        type: unprotected\n";
    const regions = await node.start({
      configuration: guardedGateway(bridgeApp("bridge", OPENAPI) + unprotected + apps.join("")),
      variables: { ISSUER_METADATA: issuer.wellKnown, UPSTREAM_URL: apiURL },
      alone: true,
    });
    const url = `${regions.us.url}/mcp`;
    return {
      url,
      token: () => issuer.issue(url),
      complaints: () => regions.us.logs().filter((line) => /"level":"(warn|error)"/i.test(line)),
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

function proxyApp(name: string, url: string): string {
  return `  - type: mcpProxy
    name: ${name}
    upstream:
      stream:
        url: ${url}
    authorization:
      outbound:
        type: unprotected
`;
}
