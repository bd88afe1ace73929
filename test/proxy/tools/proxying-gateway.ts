import type { Dependencies } from "../../../lib/application/dependencies.ts";
import type { McpAppConfiguration, McpProxyAppConfiguration } from "../../../lib/config/app-configuration.ts";
import type { McpProviderConfiguration } from "../../../lib/config/configuration.ts";
import type { JsonObject } from "../../../lib/kernel/json.ts";
import { type RpcAnswer, rpc, textOf } from "../../behaviour/gateway-fixture.ts";
import { initialize, request } from "../../behaviour/mcp/session.ts";
import { modern, modernHeaders, type Params } from "../../behaviour/mcp/stateless-fixture.ts";
import { type InProcess, ISSUER, startInProcess } from "../../support/in-process.ts";
import type { McpServer } from "./mcp-server.ts";

/** The product in this process before MCP servers, for agents that nobody asks who they are. */
export interface ProxyingGateway extends Omit<InProcess, "send"> {
  /** A request of the stateless generation. */
  send(method: string, params?: Params, headers?: Readonly<Record<string, string>>): Promise<Response>;
  answer(method: string, params?: Params): Promise<RpcAnswer>;
  /** The text of a call's result. */
  called(name: string, given?: JsonObject): Promise<string>;
  /** Names of `tools/list`. */
  names(): Promise<readonly string[]>;
  /** A request in a new session. @param params also as JSON */
  inSession(method: string, params?: Params | string): Promise<RpcAnswer>;
  preflight(headers: Readonly<Record<string, string>>): Promise<Response>;
  /** For clients that think they are at `ISSUER`. */
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
}

export interface ProxyingOptions {
  readonly servers: Readonly<Record<string, McpServer>>;
  /** Of each of the servers' apps. */
  readonly more?: Partial<McpProxyAppConfiguration> | ((name: string) => Partial<McpProxyAppConfiguration>);
  readonly apps?: readonly McpAppConfiguration[];
  readonly catalog?: McpProviderConfiguration["catalog"];
  readonly adapt?: (dependencies: Dependencies) => Dependencies;
}

export function proxyApp(name: string, more: Partial<McpProxyAppConfiguration> = {}): McpProxyAppConfiguration {
  return {
    type: "mcpProxy",
    name,
    namespace: `${name}_`,
    transport: "stream",
    url: `https://${name}.example/mcp`,
    concurrency: 100,
    shareable: false,
    timeout: 5_000,
    inboundTools: [],
    stepUp: [],
    outbound: { type: "unprotected" },
    ...more,
  };
}

export async function proxyingGateway(options: ProxyingOptions): Promise<ProxyingGateway> {
  const { servers, more, apps = [], catalog, adapt = (same) => same } = options;
  const byOrigin = new Map(Object.entries(servers).map(([name, server]) => [`https://${name}.example`, server]));
  const fetch: typeof globalThis.fetch = (input, init) => {
    const server = byOrigin.get(new URL(input instanceof Request ? input.url : input).origin);
    if (server === undefined) throw new TypeError(`nobody is at ${String(input)}`);
    return server.fetch(input, init);
  };
  const inProcess = await startInProcess({
    configuration: {
      mcpProvider: {
        serverName: "gateway",
        stream: {
          path: "/mcp",
          resource: `${ISSUER}/mcp`,
          session: { headerName: "Mcp-Session-Id", allowClientTermination: true, timeout: 3_600_000 },
        },
        oauth: { enabled: false, metadataPath: "/resource-metadata", servers: [] },
        allowedOrigins: [ISSUER],
        allowedHosts: [new URL(ISSUER).host],
        ...(catalog !== undefined && { catalog }),
      },
      apps: [
        ...Object.keys(servers).map((name) => proxyApp(name, typeof more === "function" ? more(name) : more)),
        ...apps,
      ],
    },
    adapt: (dependencies) => adapt({ ...dependencies, outbound: () => fetch }),
  });
  const post = (body: unknown, headers: Readonly<Record<string, string>>) =>
    inProcess.send("/mcp", {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  const send: ProxyingGateway["send"] = (method, params = {}, headers = {}) =>
    post(modern(method, params), { ...modernHeaders(method, params), ...headers });
  const answer: ProxyingGateway["answer"] = async (method, params) => rpc(await send(method, params));
  return {
    ...inProcess,
    send,
    answer,
    called: async (name, given = {}) => textOf(await answer("tools/call", { name, arguments: given })),
    names: async () => {
      const { tools } = (await answer("tools/list")).result as unknown as {
        readonly tools: readonly { readonly name: string }[];
      };
      return tools.map(({ name }) => name);
    },
    inSession: async (method, params = {}) => {
      const opened = await post(initialize(), {});
      await opened.text();
      const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
      const written = typeof params === "string" ? params : JSON.stringify(params);
      const message = JSON.stringify(request(method, "PARAMS")).replace('"PARAMS"', () => written);
      return rpc(await post(message, session));
    },
    preflight: (headers) => inProcess.send("/mcp", { method: "OPTIONS", headers }),
    fetch: (url, init) => inProcess.send(new URL(url).pathname, init),
  };
}
