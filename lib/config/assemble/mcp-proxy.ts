import type { ConnectionConfiguration, McpProxyAppConfiguration } from "../app-configuration.ts";
import type { ProxyDocument } from "./app-documents.ts";
import { assembleMcpApp, type McpAppContext } from "./mcp-app.ts";
import { present } from "./present.ts";

type EndpointDocument = NonNullable<ProxyDocument["upstream"]["stream"]>;

export interface ProxyContext extends McpAppContext {
  /** URLs of this instance's own MCP endpoints. */
  readonly ownEndpoints: readonly string[];
}

/** Undefined, and reported, where calls would never arrive. */
export function assembleProxy(
  app: ProxyDocument,
  index: number,
  context: ProxyContext,
): McpProxyAppConfiguration | undefined {
  const { toolNamespace, upstream, tools } = app;
  const { transport, concurrency, shareable } = upstream;
  const endpoint = upstream[transport];
  if (endpoint === undefined) return undefined;
  const path = ["apps", index, "upstream", transport, "url"];
  if (context.ownEndpoints.includes(new URL(endpoint.url).href)) {
    context.report(path, "is this gateway's own endpoint: calls would go round for ever; accepted: another MCP server");
    return undefined;
  }
  return {
    type: "mcpProxy",
    ...assembleMcpApp(app, index, context),
    namespace: toolNamespace.disabled ? "" : (toolNamespace.name ?? `${app.name}_`),
    ...{ transport, url: endpoint.url, concurrency, shareable },
    connection: assembleConnection(endpoint),
    ...present({
      tls: endpoint.tls,
      include: tools?.include,
      exclude: tools?.exclude,
    }),
  };
}

/** Also where nothing is written: streams may be silent for longer than the platform's own connections bear. */
function assembleConnection({ connection }: EndpointDocument): ConnectionConfiguration {
  const { maxIdleConns, maxIdleConnsPerHost } = connection?.pool ?? {};
  return present({
    dialTimeout: connection?.dialTimeout,
    keepAliveInterval: connection?.keepAlive?.interval,
    ...{ maxIdleConns, maxIdleConnsPerHost },
  });
}
