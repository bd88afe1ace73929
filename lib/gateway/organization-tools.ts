import type { LeftOutOperation, ToolAnnotations } from "../bridge/catalog.ts";
import type { McpAppConfiguration, McpProxyAppConfiguration } from "../config/app-configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { createOrganizationOf } from "./organization.ts";
import { type BridgedTool, bridgeApps, createToolIndex, mcpApps, proxyApps } from "./tool-index.ts";

/** What the apps of one organization offer, and the operations that became no tool. */
export interface OrganizationTools {
  readonly items: readonly OrganizationTool[];
  readonly leftOut: readonly (Omit<LeftOutOperation, "localName"> & { readonly app: string })[];
  /** MCP servers: which tools they have depends on who asks. */
  readonly servers: readonly OrganizationServer[];
}

/** An upstream MCP server, and what the configuration says of its tools. */
export interface OrganizationServer {
  readonly app: string;
  /** Without path and query, which may hold a secret. */
  readonly origin: string;
  /** In front of the names of its tools; empty: they stay as they are. */
  readonly namespace: string;
  /** Names or patterns of the tools that are offered; absent: all. */
  readonly include?: readonly string[];
  /** Those that are not. */
  readonly exclude?: readonly string[];
}

/** A tool with the operation behind it and the scopes that an agent needs. */
export interface OrganizationTool {
  readonly name: string;
  readonly localName: string;
  readonly app: string;
  readonly title?: string;
  readonly description?: string;
  readonly method: string;
  readonly path: string;
  readonly scopes: readonly string[];
  readonly annotations: ToolAnnotations;
}

/** Built once a configuration; the result tells what belongs to an organization. */
export function createOrganizationTools(
  dependencies: Dependencies,
): (organizationId: string) => Promise<OrganizationTools> {
  const { apps } = dependencies.configuration().configuration;
  const tools = [...createToolIndex(apps).values()];
  const organizationOf = createOrganizationOf(dependencies);
  return async (organizationId) => {
    const own: McpAppConfiguration[] = [];
    for (const app of mcpApps(apps)) if ((await organizationOf(app)) === organizationId) own.push(app);
    return {
      items: tools.filter(({ app }) => own.includes(app)).map(represent),
      servers: proxyApps(own).map(server),
      leftOut: bridgeApps(own).flatMap(({ name, catalog }) =>
        catalog.leftOut.map(({ localName: _, ...operation }) => ({ app: name, ...operation })),
      ),
    };
  };
}

function server({ name, url, namespace, include, exclude }: McpProxyAppConfiguration): OrganizationServer {
  return {
    app: name,
    origin: new URL(url).origin,
    namespace,
    ...(include !== undefined && { include }),
    ...(exclude !== undefined && { exclude }),
  };
}

function represent({ tool, app, scopes }: BridgedTool): OrganizationTool {
  return {
    name: tool.name,
    localName: tool.localName,
    app: app.name,
    ...(tool.title !== undefined && { title: tool.title }),
    ...(tool.description !== undefined && { description: tool.description }),
    method: tool.method,
    path: tool.path,
    scopes,
    annotations: tool.annotations,
  };
}
