import { readFileSync } from "node:fs";
import { node } from "../runtimes/node.ts";
import { startSignInServer } from "../support/sign-in-server.ts";
import { bridgeApp, guardedGateway } from "../support/yaml.ts";

/** The gateway on Node before all servers at once. Agents register and sign a person in at the authorization server that it names. */
export interface Guarding {
  /** Of the one endpoint. */
  readonly url: string;
  /** What the gateway has logged as a warning or an error. */
  complaints(): readonly string[];
  stop(): Promise<void>;
}

const OPENAPI = readFileSync(new URL("api.openapi.yaml", import.meta.url), "utf8");

const SCOPE = "tools";
/** Clients learn the scope from the gateway, and ask for it. */
const AUTHORIZATION = `    authorization:
      inbound:
        tools:
          - name: /.*/
            scopes: [${SCOPE}]
      outbound:
        type: unprotected
`;

/**
 * @param apiURL of the API behind the app `bridge`
 * @param servers endpoints of MCP servers by the names of their apps
 */
export async function startGuarding(apiURL: string, servers: Readonly<Record<string, string>>): Promise<Guarding> {
  const signIn = await startSignInServer([SCOPE]);
  try {
    const apps = Object.entries(servers).map(([name, url]) => proxyApp(name, url));
    const regions = await node.start({
      configuration: guardedGateway(bridgeApp("bridge", OPENAPI) + AUTHORIZATION + apps.join("")),
      variables: { ISSUER_METADATA: signIn.wellKnown, UPSTREAM_URL: apiURL },
      alone: true,
    });
    return {
      url: `${regions.us.url}/mcp`,
      complaints: () => regions.us.logs().filter((line) => /"level":"(warn|error)"/i.test(line)),
      stop: async () => {
        await regions.stop();
        await signIn.stop();
      },
    };
  } catch (cause) {
    await signIn.stop();
    throw cause;
  }
}

function proxyApp(name: string, url: string): string {
  return `  - type: mcpProxy
    name: ${name}
    upstream:
      stream:
        url: ${url}
${AUTHORIZATION}`;
}
