import type { LeftOutOperation, ToolAnnotations } from "../bridge/catalog.ts";
import type { McpBridgeAppConfiguration } from "../config/app-configuration.ts";
import type { Dependencies } from "../dependencies.ts";
import { createOrganizationOf } from "./organization.ts";
import { type BridgedTool, bridgeApps, createToolIndex } from "./tool-index.ts";

/** What the apps of one organization offer, and the operations that became no tool. */
export interface OrganizationTools {
  readonly items: readonly OrganizationTool[];
  readonly leftOut: readonly (Omit<LeftOutOperation, "localName"> & { readonly app: string })[];
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
  const apps = bridgeApps(dependencies.configuration().configuration.apps);
  const tools = [...createToolIndex(apps).values()];
  const organizationOf = createOrganizationOf(dependencies);
  return async (organizationId) => {
    const own: McpBridgeAppConfiguration[] = [];
    for (const app of apps) if ((await organizationOf(app)) === organizationId) own.push(app);
    return {
      items: tools.filter(({ app }) => own.includes(app)).map(represent),
      leftOut: own.flatMap(({ name, catalog }) =>
        catalog.leftOut.map(({ localName: _, ...operation }) => ({ app: name, ...operation })),
      ),
    };
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
